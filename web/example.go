package web

import (
	"bytes"
	"encoding/json"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// exampleJSON writes an example of the contract as JSON for a reader, its
// members in the order in which they were written.
func exampleJSON(node *yaml.Node) (string, error) {
	compact, err := nodeJSON(node)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, compact, "", "  "); err != nil {
		return "", fmt.Errorf("lay out an example: %w", err)
	}
	return b.String(), nil
}

func nodeJSON(node *yaml.Node) ([]byte, error) {
	switch node.Kind {
	case yaml.AliasNode:
		return nodeJSON(node.Alias)
	case yaml.MappingNode:
		members, err := mappingJSON(node)
		return append(append([]byte{'{'}, bytes.Join(members, []byte{','})...), '}'), err
	case yaml.SequenceNode:
		items := make([][]byte, len(node.Content))
		for i, child := range node.Content {
			item, err := nodeJSON(child)
			if err != nil {
				return nil, err
			}
			items[i] = item
		}
		return append(append([]byte{'['}, bytes.Join(items, []byte{','})...), ']'), nil
	default:
		var value any
		if err := node.Decode(&value); err != nil {
			return nil, fmt.Errorf("read an example at line %d: %w", node.Line, err)
		}
		return plainJSON(value)
	}
}

// mappingJSON gives the members of a mapping, those that it merges in first.
func mappingJSON(node *yaml.Node) (members [][]byte, err error) {
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, child := node.Content[i], node.Content[i+1]
		if key.Tag == "!!merge" {
			if child.Kind == yaml.AliasNode {
				child = child.Alias
			}
			merged, err := mappingJSON(child)
			if err != nil {
				return nil, err
			}
			members = append(members, merged...)
			continue
		}
		name, err := plainJSON(key.Value)
		if err != nil {
			return nil, err
		}
		value, err := nodeJSON(child)
		if err != nil {
			return nil, err
		}
		members = append(members, append(append(name, ':'), value...))
	}
	return members, nil
}

// plainJSON encodes without the escapes that only scripts in pages need.
func plainJSON(value any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, fmt.Errorf("encode an example: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
