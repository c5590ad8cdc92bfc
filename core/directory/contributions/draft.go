package contributions

import (
	"context"
	"fmt"

	"homeplace/core"
	"homeplace/core/directory"
	"homeplace/core/pg"
)

// DraftTx proposes a business of which the viewer knows hardly more than the
// name, in a transaction that runs as the viewer, and tells the slug that the
// listing would get. Unlike one that is offered it may lack a city, which the
// moderator then adds. What the viewer has proposed already, and still waits, is
// proposed once. After Invalid and Conflict the transaction can go on. Errors:
// Unauthenticated, Invalid, Conflict with too_many_pending.
func (s *Service) DraftTx(ctx context.Context, tx *pg.Tx, v core.Viewer, name, city string) (contributionID, slug string, err error) {
	if err := requireMember(v); err != nil {
		return "", "", err
	}
	in := directory.Input{Kind: directory.KindBusiness, Name: name, City: city}
	var p core.Problems
	if err := s.directory.Check(ctx, &in, &p); err != nil {
		return "", "", err
	}
	if err := p.Err(); err != nil {
		return "", "", err
	}
	waiting, err := lockRoom(ctx, tx, v.ID)
	if err != nil {
		return "", "", fmt.Errorf("draft a listing: %w", err)
	}
	contributionID, err = pendingListing(ctx, tx, v.ID, in)
	switch {
	case err != nil:
		return "", "", fmt.Errorf("draft a listing: %w", err)
	case contributionID == "" && waiting >= MaxPending:
		return "", "", errNoRoom()
	case contributionID == "":
		contributionID = pg.NewID()
		if err := insert(ctx, tx, Contribution{ID: contributionID, Kind: KindListing, EntryName: in.Name, AccountID: v.ID,
			Patch: Changed(directory.Input{}, in), CreatedAt: s.now()}); err != nil {
			return "", "", fmt.Errorf("draft a listing: %w", err)
		}
	}
	in.ID = contributionID
	slug, err = s.directory.SlugTx(ctx, tx, in)
	return contributionID, slug, err
}
