package moderation

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"homeplace/core"
	"homeplace/core/llm"
	"homeplace/core/pg"
	"homeplace/core/settings"
)

// model is a language model that decides on the borderline.
type model interface {
	Configured() bool
	Moderate(ctx context.Context, text string) (llm.Verdict, error)
}

// blocker keeps an address from sending for a time, and knows how often it did.
// QueueTimes asks in a batch of the system's, and fills times in once it is sent.
type blocker interface {
	BlockTx(ctx context.Context, tx *pg.Tx, by core.Viewer, a core.Abuse) (blocked bool, err error)
	QueueTimes(b *pgx.Batch, addressKey string, since time.Time, times *int)
}

// auditor writes decisions of staff down.
type auditor interface {
	RecordTx(ctx context.Context, tx *pg.Tx, v core.Viewer, r core.Ruling) error
}

// Needs are the services that the area uses.
type Needs struct {
	Settings *settings.Service
	Model    model
	Blocks   blocker
	Audit    auditor
	// QueueCreated asks in a batch of the system's when an account was made. at
	// stays as it is where there is none.
	QueueCreated func(b *pgx.Batch, accountID string, at *time.Time)
	Log          *slog.Logger
}

// Service judges the texts of every area, keeps what it said of them, and keeps
// the word rules. Its methods are safe for concurrent use.
type Service struct {
	db    *pg.DB
	now   core.Clock
	needs Needs
	rules inForce
}

// New makes the service. Its word rules follow what db.OnChange tells.
func New(db *pg.DB, now core.Clock, needs Needs) *Service {
	s := &Service{db: db, now: now, needs: needs}
	db.OnChange(func(changed string) {
		if changed == Area || changed == pg.Everything {
			s.rules.outdate()
		}
	})
	return s
}

// storeLimit ends the reading of rules and the keeping of a verdict.
const storeLimit = 5 * time.Second

// Judge decides on a text before it is stored, and keeps the verdict for the
// thing that the text is of. It may ask the language model, so it belongs
// outside of transactions. What the rules refuse is certain, and blocks the
// address that it came from; the model alone blocks nobody, and when it fails a
// person decides. So does one where the verdict cannot be kept: Judge itself
// never fails, and no text is lost.
func (s *Service) Judge(ctx context.Context, v core.Viewer, t core.Text) (core.Verdict, error) {
	ctx = pg.WithoutClaim(ctx)
	// What a slow model leaves of the caller's time may not be enough to keep the
	// verdict.
	whole := context.WithoutCancel(ctx)
	j := s.begin(ctx, v, t)
	about, err := s.around(ctx, &j)
	if err != nil {
		s.needs.Log.WarnContext(ctx, "what is known around a text could not be read; it is judged by its words", "scope", t.Scope, "error", err)
	}
	if j.weigh(about); j.found.Borderline && s.needs.Model.Configured() {
		s.ask(ctx, &j)
	}
	verdict, err := s.keep(whole, j, about)
	if err != nil {
		s.needs.Log.ErrorContext(ctx, "a verdict was not kept; a person decides", "scope", t.Scope, "error", err)
		verdict = j.verdict()
		verdict.Decision = core.DecisionReview
		verdict.Reasons = append(verdict.Reasons, core.Reason{Code: "not_kept", Detail: "the verdict could not be stored"})
	}
	return verdict, nil
}

// judgement is a text on its way through the pipeline.
type judgement struct {
	core.Text
	id        string
	accountID string // empty: nobody is signed in
	at        time.Time
	reading
	identity identity
	found    Verdict
	asked    bool
	answer   *llm.Verdict // nil: the model was not asked, or gave none
}

func (s *Service) begin(ctx context.Context, v core.Viewer, t core.Text) judgement {
	j := judgement{Text: t, id: pg.NewID(), accountID: v.ID, at: s.now(), reading: read(t.Body, t.Scope, s.current(ctx))}
	j.identity = j.reading.identity()
	return j
}

func (j *judgement) weigh(about Context) { j.found = j.reading.weigh(about) }

// ask lets the model decide; without an answer of its own the text waits for a
// person as before.
func (s *Service) ask(ctx context.Context, j *judgement) {
	j.asked = true
	answer, err := s.needs.Model.Moderate(ctx, j.Body)
	if err != nil {
		s.needs.Log.WarnContext(ctx, "the language model gave no verdict; a person decides", "error", err)
		return
	}
	j.answer = &answer
}

// verdict joins what was found and what the model said. The model decides while
// the text is borderline only: meanwhile, more copies of it may have come.
func (j *judgement) verdict() core.Verdict {
	v := j.found.Kernel()
	switch {
	case j.asked && j.answer == nil:
		v.Reasons = append(v.Reasons, core.Reason{Code: "model_failed"})
	case j.asked:
		v.Reasons = append(v.Reasons, core.Reason{Code: "model", Detail: j.answer.Reason})
		if j.found.Borderline {
			v.Decision, v.Score = core.Decision(j.answer.Decision), j.answer.Score
		}
	}
	return v
}

// keep stores the verdict, and blocks the address of what the rules refuse. Those
// who send one text at the same time store one after the other, and each counts
// the others once more before.
func (s *Service) keep(ctx context.Context, j judgement, about Context) (verdict core.Verdict, err error) {
	ctx, cancel := context.WithTimeout(ctx, storeLimit)
	defer cancel()
	err = s.db.Write(ctx, core.TheSystem(), func(tx *pg.Tx) error {
		copies, err := lockCopies(ctx, tx, j)
		if err != nil {
			return err
		}
		if copies > about.Duplicates {
			about.Duplicates = copies
			j.weigh(about)
		}
		verdict = j.verdict()
		if j.found.Decision == core.DecisionReject {
			if _, err := s.needs.Blocks.BlockTx(ctx, tx, core.TheSystem(), j.abuse()); err != nil {
				return err
			}
		}
		return insertJudgement(ctx, tx, j, verdict)
	})
	if err != nil {
		return core.Verdict{}, fmt.Errorf("keep verdict: %w", err)
	}
	return verdict, nil
}

func (j *judgement) abuse() core.Abuse {
	reason := "abuse in a " + j.Scope
	if len(j.found.Findings) > 0 {
		reason += ": " + j.found.Findings[0].Code
	}
	return core.Abuse{From: j.From, Reason: reason, About: j.About}
}
