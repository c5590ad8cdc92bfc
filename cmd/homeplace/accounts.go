package main

import (
	"bufio"
	"fmt"
	"strings"
	"time"

	"homeplace/core"
	"homeplace/core/accounts"
	"homeplace/core/points"
)

type userCommand struct {
	Create userCreateCommand `cmd:"" help:"Make an account and print its id."`
	Role   userRoleCommand   `cmd:"" help:"Appoint someone member, moderator or admin."`
	Points userPointsCommand `cmd:"" help:"Give someone points, or take some away."`
}

type userCreateCommand struct {
	Email    string `required:"" help:"E-mail address." placeholder:"ADDRESS"`
	Username string `required:"" help:"Username: 2 to 30 of a-z, 0-9, hyphen and underscore." placeholder:"NAME"`
	Password string `required:"" help:"Password of at least 10 characters; - reads a line from standard input." placeholder:"TEXT"`
	Role     string `help:"member, moderator or admin." default:"member" enum:"member,moderator,admin"`
}

// Run makes the account.
func (c *userCreateCommand) Run(e *environment) error {
	password := c.Password
	if password == "-" {
		line, err := bufio.NewReader(e.in).ReadString('\n')
		if err != nil && line == "" {
			return fmt.Errorf("read the password from standard input: %w", err)
		}
		password = strings.TrimRight(line, "\r\n")
	}
	return e.withServices(func(s *services) error {
		account, err := s.accounts.Create(e, core.TheSystem(), accounts.Input{
			Email: c.Email, Username: c.Username, Password: password, Role: accounts.Role(c.Role)})
		if err != nil {
			return err
		}
		fmt.Fprintln(e.out, account.ID)
		return nil
	})
}

type userRoleCommand struct {
	Username string `arg:"" help:"Whom to appoint."`
	Role     string `arg:"" help:"member, moderator or admin."`
}

// Run appoints the account.
func (c *userRoleCommand) Run(e *environment) error {
	role, err := accounts.ParseRole(c.Role)
	if err != nil {
		return err
	}
	return e.withServices(func(s *services) error {
		if err := s.accounts.SetRole(e, core.TheSystem(), c.Username, role); err != nil {
			return err
		}
		fmt.Fprintf(e.out, "%s is now %s\n", c.Username, role)
		return nil
	})
}

type userPointsCommand struct {
	Username string `arg:"" help:"Whose points."`
	Delta    int    `arg:"" help:"How many to give, or with a minus to take away."`
	Reason   string `required:"" help:"Why, as the member reads it; 1 to 300 characters." placeholder:"TEXT"`
}

// Run corrects the points.
func (c *userPointsCommand) Run(e *environment) error {
	return e.withServices(func(s *services) error {
		after, err := s.points.Correct(e, core.TheSystem(), c.Username, c.Delta, c.Reason)
		if err != nil {
			return err
		}
		fmt.Fprintf(e.out, "%s now has %s to spend, and has earned %s in all\n", c.Username, points.Words(after.Balance), points.Words(after.Lifetime))
		return nil
	})
}

type tokenCommand struct {
	Create tokenCreateCommand `cmd:"" help:"Make a personal token and print it, once."`
}

type tokenCreateCommand struct {
	Username string        `required:"" help:"Whose token." placeholder:"NAME"`
	Label    string        `required:"" help:"What it is for, 1 to 60 characters." placeholder:"TEXT"`
	Expires  time.Duration `help:"How long it lives, such as 720h; 0 is for ever." default:"0" placeholder:"TIME"`
}

// Run makes the token.
func (c *tokenCreateCommand) Run(e *environment) error {
	if c.Expires < 0 {
		return core.InvalidField("expires", "must not be negative")
	}
	return e.withServices(func(s *services) error {
		account, err := s.accounts.ByUsername(e, core.TheSystem(), c.Username)
		if err != nil {
			return err
		}
		in := accounts.TokenInput{Label: c.Label}
		if c.Expires > 0 {
			at := core.Now().Add(c.Expires)
			in.ExpiresAt = &at
		}
		token, _, err := s.accounts.CreateToken(e, account.Viewer(), in)
		if err != nil {
			return err
		}
		fmt.Fprintln(e.out, token)
		return nil
	})
}
