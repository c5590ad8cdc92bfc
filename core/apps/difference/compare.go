package difference

import (
	"bytes"
	"slices"
	"strings"

	"homeplace/core/apps/document"
)

// Of compares two JSON documents that are valid and not nested without bound;
// before may be nil: then there was none. Errors: one of them is not JSON.
func Of(before, after []byte) (Difference, error) {
	if before == nil {
		n, err := document.Parse(after)
		c := comparison{Difference: Difference{Changes: []Change{}}}
		if err == nil {
			c.whole(n)
		}
		return c.Difference, err
	}
	c := comparison{Difference: Difference{Changes: []Change{}}, budget: alignBudget}
	if bytes.Equal(before, after) {
		c.Same = true
		return c.Difference, nil
	}
	a, err := document.Parse(before)
	if err != nil {
		return Difference{}, err
	}
	b, err := document.Parse(after)
	if err != nil {
		return Difference{}, err
	}
	if c.FormattingOnly = a.Hash == b.Hash; !c.FormattingOnly {
		c.compare(path{}, a, b)
	}
	return c.Difference, nil
}

type comparison struct {
	Difference
	budget int // cells of alignment tables that may still be filled
}

func (c *comparison) add(kind Kind, p path, before, after *document.Node) {
	switch kind {
	case Added:
		c.Added++
	case Removed:
		c.Removed++
	case Changed:
		c.Changed++
	}
	if len(c.Changes) == MaxChanges {
		return
	}
	change := Change{Kind: kind, Path: p.String()}
	if before != nil {
		change.Before = short(before)
	}
	if after != nil {
		change.After = short(after)
	}
	c.Changes = append(c.Changes, change)
}

// whole lists the members of a document that is new.
func (c *comparison) whole(n document.Node) {
	for i := range n.Children {
		if n.IsObject() {
			c.add(Added, path{kind: memberStep, node: &n.Children[i]}, nil, &n.Children[i])
		} else {
			c.add(Added, path{kind: indexStep, index: i}, nil, &n.Children[i])
		}
	}
}

// compare takes two values that differ.
func (c *comparison) compare(p path, a, b document.Node) {
	switch {
	case a.IsObject() && b.IsObject():
		from := p // only what is walked into needs to outlive this
		c.objects(&from, a.Children, b.Children)
	case a.IsArray() && b.IsArray():
		from := p
		c.arrays(&from, a.Children, b.Children)
	default:
		c.add(Changed, p, &a, &b)
	}
}

// objects walks both lists of members, which are in the order of their keys.
func (c *comparison) objects(p *path, a, b []document.Node) {
	for len(a) > 0 || len(b) > 0 {
		var order int
		switch {
		case len(a) == 0:
			order = 1
		case len(b) == 0:
			order = -1
		default:
			order = strings.Compare(a[0].Key, b[0].Key)
		}
		switch order {
		case -1:
			c.add(Removed, path{parent: p, kind: memberStep, node: &a[0]}, &a[0], nil)
			a = a[1:]
		case 1:
			c.add(Added, path{parent: p, kind: memberStep, node: &b[0]}, nil, &b[0])
			b = b[1:]
		default:
			if a[0].Hash != b[0].Hash { // paths are made only where they are needed
				c.compare(path{parent: p, kind: memberStep, node: &a[0]}, a[0], b[0])
			}
			a, b = a[1:], b[1:]
		}
	}
}

func (c *comparison) arrays(p *path, a, b []document.Node) {
	for _, key := range []string{"id", "slug", "key", "name"} {
		before, ok := identities(a, key)
		if !ok {
			continue
		}
		if after, ok := identities(b, key); ok {
			c.identified(p, a, b, before, after)
			return
		}
	}
	c.aligned(p, a, b)
}

// identities finds the member in every element, as a text or number that no two
// of them share.
func identities(items []document.Node, key string) ([]document.Node, bool) {
	list := make([]document.Node, len(items))
	seen := make(map[uint64]bool, len(items))
	for i, item := range items {
		if !item.IsObject() {
			return nil, false
		}
		name, ok := item.Member(key)
		if !ok || !name.IsString() && !name.IsNumber() || seen[name.Hash] {
			return nil, false
		}
		seen[name.Hash] = true
		list[i] = name
	}
	return list, true
}

// identified compares elements by their names, which are key's in each.
func (c *comparison) identified(p *path, a, b []document.Node, before, after []document.Node) {
	places := make(map[uint64]int, len(a))
	for i, name := range before {
		places[name.Hash] = i
	}
	kept := make([]bool, len(a))
	var order []int // places in a of what is in both, in the order of b
	for i := range after {
		name := &after[i]
		place, ok := places[name.Hash]
		if !ok {
			c.add(Added, path{parent: p, kind: identityStep, node: name}, nil, &b[i])
			continue
		}
		kept[place] = true
		order = append(order, place)
		if a[place].Hash != b[i].Hash {
			c.compare(path{parent: p, kind: identityStep, node: name}, a[place], b[i])
		}
	}
	for i := range before {
		if !kept[i] {
			c.add(Removed, path{parent: p, kind: identityStep, node: &before[i]}, &a[i], nil)
		}
	}
	if !slices.IsSorted(order) {
		c.reordered(p, before, order)
	}
}

// reordered says that elements stand in another order, which is data.
func (c *comparison) reordered(p *path, names []document.Node, order []int) {
	list := func(places []int) *document.Node {
		n := &document.Node{Text: []byte("[")}
		for _, place := range places {
			n.Children = append(n.Children, names[place])
		}
		return n
	}
	c.add(Changed, path{parent: p, kind: orderStep}, list(slices.Sorted(slices.Values(order))), list(order))
}
