package difference

import "homeplace/core/apps/document"

// alignBudget bounds the tables of one comparison: what it cannot hold is
// compared by position. Filling it takes about 20 ms.
const alignBudget = 4_000_000

// aligned compares elements that nothing identifies: equal ones that stand in
// the same order belong together, and what lies between is paired by position.
func (c *comparison) aligned(p *path, a, b []document.Node) {
	start := 0
	for start < len(a) && start < len(b) && a[start].Hash == b[start].Hash {
		start++
	}
	end := 0
	for end < len(a)-start && end < len(b)-start && a[len(a)-1-end].Hash == b[len(b)-1-end].Hash {
		end++
	}
	i, j := start, start
	for _, pair := range c.common(a[start:len(a)-end], b[start:len(b)-end]) {
		c.gap(p, a, b, span{i, start + pair[0]}, span{j, start + pair[1]})
		i, j = start+pair[0]+1, start+pair[1]+1
	}
	c.gap(p, a, b, span{i, len(a) - end}, span{j, len(b) - end})
}

// span is the places from..to, to excluded.
type span struct{ from, to int }

// gap pairs what stands between two common elements.
func (c *comparison) gap(p *path, a, b []document.Node, old, fresh span) {
	for old.from < old.to && fresh.from < fresh.to {
		if a[old.from].Hash != b[fresh.from].Hash {
			c.compare(path{parent: p, kind: indexStep, index: fresh.from}, a[old.from], b[fresh.from])
		}
		old.from++
		fresh.from++
	}
	for ; old.from < old.to; old.from++ {
		c.add(Removed, path{parent: p, kind: indexStep, index: old.from}, &a[old.from], nil)
	}
	for ; fresh.from < fresh.to; fresh.from++ {
		c.add(Added, path{parent: p, kind: indexStep, index: fresh.from}, nil, &b[fresh.from])
	}
}

// common is a longest common subsequence as pairs of places; none where the
// table would not fit into what is left of the budget.
func (c *comparison) common(a, b []document.Node) [][2]int {
	cells := (len(a) + 1) * (len(b) + 1)
	if len(a) == 0 || len(b) == 0 || len(a) == 1 && len(b) == 1 || cells > c.budget {
		return nil
	}
	c.budget -= cells
	width := len(b) + 1
	table := make([]int32, cells) // longest from (i, j) on
	for i := len(a) - 1; i >= 0; i-- {
		row, below := table[i*width:(i+1)*width], table[(i+1)*width:(i+2)*width]
		for j := len(b) - 1; j >= 0; j-- {
			if a[i].Hash == b[j].Hash {
				row[j] = below[j+1] + 1
			} else {
				row[j] = max(below[j], row[j+1])
			}
		}
	}
	var pairs [][2]int
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i].Hash == b[j].Hash:
			pairs = append(pairs, [2]int{i, j})
			i, j = i+1, j+1
		case table[(i+1)*width+j] >= table[i*width+j+1]:
			i++
		default:
			j++
		}
	}
	return pairs
}
