package woven

// dice is a small generator of numbers: FNV-1a of the seed, then xorshift. It
// is its own so that no other release of a library can change a cover.
type dice struct{ state uint32 }

func newDice(seed string) *dice {
	h := uint32(2166136261)
	for i := range len(seed) {
		h = (h ^ uint32(seed[i])) * 16777619
	}
	// Xorshift never leaves zero.
	d := &dice{state: max(h, 1)}
	// Seeds that differ in their last letter only have states close together.
	for range 4 {
		d.roll(2)
	}
	return d
}

// roll gives a number from 0 to n-1.
func (d *dice) roll(n int) int {
	d.state ^= d.state << 13
	d.state ^= d.state >> 17
	d.state ^= d.state << 5
	return int(uint64(d.state) * uint64(n) >> 32)
}

// choose gives count different numbers from 0 to n-1.
func (d *dice) choose(n, count int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	for i := range count {
		j := i + d.roll(n-i)
		all[i], all[j] = all[j], all[i]
	}
	return all[:count]
}
