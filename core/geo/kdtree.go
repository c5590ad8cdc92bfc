package geo

import "math"

// vector is a point on the unit sphere. Its straight-line chords order as
// great-circle distances do, at the poles and the date line too.
type vector [3]float64

func unitVector(lat, lng float64) vector {
	sinLat, cosLat := math.Sincos(lat * math.Pi / 180)
	sinLng, cosLng := math.Sincos(lng * math.Pi / 180)
	return vector{cosLat * cosLng, cosLat * sinLng, sinLat}
}

// chord2 is the squared chord of two unit vectors.
func (v vector) chord2(w vector) float64 {
	x, y, z := v[0]-w[0], v[1]-w[1], v[2]-w[2]
	return x*x + y*y + z*z
}

// chordOfKm is the squared chord under a great circle of km kilometres.
func chordOfKm(km float64) float64 {
	if km >= math.Pi*EarthRadiusKm {
		return 4
	}
	half := math.Sin(km / (2 * EarthRadiusKm))
	return 4 * half * half
}

// kmOfChord is the great circle over a squared chord, in kilometres.
func kmOfChord(chord2 float64) float64 {
	return 2 * EarthRadiusKm * math.Asin(min(math.Sqrt(chord2)/2, 1))
}

// node is one indexed point: single precision places it within half a metre.
type node struct {
	at [3]float32
	id uint32
}

func newNode(lat, lng float64, id int) node {
	v := unitVector(lat, lng)
	return node{at: [3]float32{float32(v[0]), float32(v[1]), float32(v[2])}, id: uint32(id)}
}

func (n node) chord2(v vector) float64 {
	x, y, z := float64(n.at[0])-v[0], float64(n.at[1])-v[1], float64(n.at[2])-v[2]
	return x*x + y*y + z*z
}

// kdTree is a balanced k-d tree laid out in its own order: the middle element of
// a range splits it along the axis of its depth. It needs no memory of its own.
type kdTree []node

// leafSize is the range length below which a scan beats descending.
const leafSize = 8

func newKDTree(nodes []node) kdTree {
	splitNodes(nodes, 0)
	return nodes
}

func splitNodes(nodes []node, axis int) {
	for len(nodes) > leafSize {
		mid := len(nodes) / 2
		selectNode(nodes, mid, axis)
		axis = (axis + 1) % 3
		splitNodes(nodes[:mid], axis)
		nodes = nodes[mid+1:]
	}
}

// selectNode moves the k-th smallest node along axis to position k, with smaller
// ones before and larger ones behind it (Hoare's selection).
func selectNode(nodes []node, k, axis int) {
	low, high := 0, len(nodes)-1
	for low < high {
		pivot := medianOfThree(nodes[low].at[axis], nodes[(low+high)/2].at[axis], nodes[high].at[axis])
		i, j := low, high
		for i <= j {
			for nodes[i].at[axis] < pivot {
				i++
			}
			for nodes[j].at[axis] > pivot {
				j--
			}
			if i <= j {
				nodes[i], nodes[j] = nodes[j], nodes[i]
				i++
				j--
			}
		}
		switch {
		case k <= j:
			high = j
		case k >= i:
			low = i
		default:
			return
		}
	}
}

func medianOfThree(a, b, c float32) float32 {
	return max(min(a, b), min(max(a, b), c))
}

// nearest returns the id of the node nearest to v and its squared chord, if that is
// at most limit. Of nodes at the same point the lowest id wins.
func (t kdTree) nearest(v vector, limit float64) (id int, chord2 float64, ok bool) {
	chord2 = limit
	t.within(v, limit, func(n int, d float64) float64 {
		if !ok || d < chord2 || n < id {
			id, chord2, ok = n, d, true
		}
		return chord2
	})
	return id, chord2, ok
}

// within calls visit with the id and squared chord of every node whose squared
// chord to v is at most limit, near ones not necessarily first. What visit returns
// is the limit from then on.
func (t kdTree) within(v vector, limit float64, visit func(id int, chord2 float64) float64) {
	search := treeSearch{at: v, limit: limit, visit: visit}
	search.descend(t, 0)
}

type treeSearch struct {
	at    vector
	limit float64
	visit func(id int, chord2 float64) float64
}

func (s *treeSearch) descend(nodes []node, axis int) {
	if len(nodes) <= leafSize {
		for _, n := range nodes {
			s.consider(n)
		}
		return
	}
	mid := len(nodes) / 2
	s.consider(nodes[mid])
	near, far := nodes[:mid], nodes[mid+1:]
	gap := s.at[axis] - float64(nodes[mid].at[axis])
	if gap > 0 {
		near, far = far, near
	}
	axis = (axis + 1) % 3
	s.descend(near, axis)
	if gap*gap <= s.limit {
		s.descend(far, axis)
	}
}

func (s *treeSearch) consider(n node) {
	if d := n.chord2(s.at); d <= s.limit {
		s.limit = s.visit(int(n.id), d)
	}
}
