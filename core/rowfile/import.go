package rowfile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"homeplace/core"
)

// Options say how an area imports rows that are few and short.
type Options struct {
	Strict  bool                                                       // all rows or none
	Map     map[string]string                                          // column → field
	OwnerID func(ctx context.Context, username string) (string, error) // nil: owners are not known
	Problem func(line int, err error)                                  // told of each refused line; nil = not
}

// Owner is the account of a username; empty for none. Errors: Invalid.
func (o Options) Owner(ctx context.Context, username string) (id string, err error) {
	switch {
	case username == "":
		return "", nil
	case o.OwnerID == nil:
		return "", core.InvalidField("owner", "cannot be looked up here")
	}
	return o.OwnerID(ctx, username)
}

// Fill reads the fields that the row has into what they point to, and names those
// that do not fit; the others stay as they are.
func (r Row) Fill(p *core.Problems, fields map[string]any) {
	for name, to := range fields {
		value, ok := r.Fields[name]
		if !ok {
			continue
		}
		var wrong *json.UnmarshalTypeError
		switch err := json.Unmarshal(value, to); {
		case errors.As(err, &wrong):
			p.Add(name, "must be text, not %s", wrong.Value)
		case err != nil:
			p.Add(name, "%s", err)
		}
	}
}

// Summary counts what an import did.
type Summary struct {
	Created, Updated, Refused int
	Ignored                   []string // columns that no field has
}

// String says it for the operator.
func (s Summary) String() string {
	var b strings.Builder
	if len(s.Ignored) > 0 {
		fmt.Fprintf(&b, "columns that no field has, ignored: %s\n", strings.Join(s.Ignored, ", "))
	}
	fmt.Fprintf(&b, "%d rows: %d new, %d updated, %d refused", s.Created+s.Updated+s.Refused, s.Created, s.Updated, s.Refused)
	return b.String()
}

// Batch are rows that are stored in one transaction.
type Batch struct {
	rows    []Row
	line    int // of the row that is being stored
	created int // how many of them are new
}

// Each stores the rows in their order, and stops at the first that is wrong. It
// may run again, where the transaction does.
func (b *Batch) Each(store func(Row) (isNew bool, err error)) error {
	b.created = 0
	for _, row := range b.rows {
		b.line = row.Line
		isNew, err := store(row)
		if err != nil {
			return err
		}
		if isNew {
			b.created++
		}
	}
	return nil
}

// Import hands the rows to store: one by one, or with Strict all at once, and
// then only where every line could be read. What is wrong with a row is counted
// and told, and the error of an import that is not strict is the database's.
func Import(ctx context.Context, r *Reader, columns []string, o Options, store func(*Batch) error) (Summary, error) {
	var sum Summary
	rows, err := sum.read(r, columns, o)
	if err != nil {
		return sum, err
	}
	if !o.Strict {
		for i := range rows {
			if err := sum.store(ctx, rows[i:i+1], o, store); err != nil {
				return sum, err
			}
		}
		return sum, nil
	}
	if sum.Refused == 0 {
		err = sum.store(ctx, rows, o, store)
	}
	if err == nil && sum.Refused > 0 {
		err = &core.Error{Kind: core.Invalid, Code: "validation_failed",
			Msg: "Nothing was imported, because lines are wrong. Mend them, or import without --strict."}
	}
	return sum, err
}

func (sum *Summary) read(r *Reader, columns []string, o Options) (rows []Row, err error) {
	for {
		row, err := r.Next()
		var lineError *LineError
		switch {
		case err == io.EOF:
			slices.Sort(sum.Ignored)
			return rows, nil
		case errors.As(err, &lineError):
			sum.refuse(o, lineError.Line, lineError.Err)
			continue
		case err != nil:
			return nil, err
		}
		row.Rename(o.Map)
		for name := range row.Fields {
			if !slices.Contains(columns, name) && !slices.Contains(sum.Ignored, name) {
				sum.Ignored = append(sum.Ignored, name)
			}
		}
		rows = append(rows, row)
	}
}

func (sum *Summary) refuse(o Options, line int, err error) {
	sum.Refused++
	if o.Problem != nil {
		o.Problem(line, err)
	}
}

func (sum *Summary) store(ctx context.Context, rows []Row, o Options, store func(*Batch) error) error {
	b := &Batch{rows: rows}
	err := store(b)
	switch {
	case err == nil:
		sum.Created += b.created
		sum.Updated += len(rows) - b.created
		return nil
	case ctx.Err() != nil || core.KindOf(err) == core.Unavailable:
		return err
	}
	sum.refuse(o, b.line, err)
	return nil
}
