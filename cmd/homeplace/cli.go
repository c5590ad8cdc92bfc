package main

import (
	"context"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/alecthomas/kong"
)

// commandLine is the grammar. Every flag has an environment variable of the
// same name with HOMEPLACE_ before it.
type commandLine struct {
	DataDir     string `help:"Directory for the private database and everything else that is kept." default:"./data" type:"path" placeholder:"DIR"`
	DatabaseURL string `help:"Address of a PostgreSQL database; empty starts a private one under the data directory." env:"HOMEPLACE_DATABASE_URL,DATABASE_URL" placeholder:"URL"`
	Secret      string `help:"Secret of the installation, at least 32 characters, the same for every instance on one database; empty uses the file \"secret\" in the data directory, made at the first start. Better given as HOMEPLACE_SECRET." placeholder:"TEXT"`
	SMTPURL     string `name:"smtp-url" help:"Mail server, such as smtp://user:password@host:587 or smtps://…:465; empty writes mails to files under the data directory. Better given as HOMEPLACE_SMTP_URL." placeholder:"URL"`
	MailFrom    string `help:"Address that mails come from; needed with --smtp-url." placeholder:"ADDRESS"`

	Serve      serveCommand      `cmd:"" help:"Run the service."`
	Migrate    migrateCommand    `cmd:"" help:"Bring the database schema up to date, or show its state."`
	User       userCommand       `cmd:"" help:"Make accounts and appoint people."`
	Token      tokenCommand      `cmd:"" help:"Make personal tokens."`
	Keys       keysCommand       `cmd:"" help:"Show and change the keys that sign the tokens of programs."`
	Import     importCommand     `cmd:"" help:"Import rows from JSON Lines or CSV; they are updated by slug."`
	Export     exportCommand     `cmd:"" help:"Export rows as JSON Lines or CSV."`
	Geo        geoCommand        `cmd:"" help:"Replace the built-in gazetteer."`
	Search     searchCommand     `cmd:"" help:"Measure and mend the search."`
	Moderation moderationCommand `cmd:"" help:"Try the moderation of texts, and train its spam score."`
	Settings   settingsCommand   `cmd:"" help:"Show and change settings."`
	Doctor     doctorCommand     `cmd:"" help:"Check configuration, database and search, and say what to mend."`
}

// environment is what a command runs in.
type environment struct {
	context.Context
	cli           *commandLine
	in            *os.File
	out, messages *os.File
}

func kongOptions(out, messages io.Writer) []kong.Option {
	return []kong.Option{
		kong.Name("homeplace"),
		kong.Description("A community directory: businesses, landmarks, people, services and events, as pages and as an open JSON API."),
		kong.DefaultEnvars("HOMEPLACE"),
		kong.UsageOnError(),
		kong.Writers(out, messages),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true}),
		kong.ValueFormatter(helpWithDefault),
	}
}

var negative = regexp.MustCompile(`^-[0-9]+$`)

// negativesLast puts numbers with a minus, which would be read as flags, behind
// the mark after which nothing is one. What follows a flag is that flag's value.
func negativesLast(args []string) []string {
	var others, numbers []string
	for i, arg := range args {
		switch {
		case arg == "--":
			return args
		case negative.MatchString(arg) && (i == 0 || !strings.HasPrefix(args[i-1], "-") || strings.Contains(args[i-1], "=")):
			numbers = append(numbers, arg)
		default:
			others = append(others, arg)
		}
	}
	if numbers == nil {
		return args
	}
	return append(append(others, "--"), numbers...)
}

// helpWithDefault ends the help of a flag with its default.
func helpWithDefault(value *kong.Value) string {
	help := kong.DefaultHelpValueFormatter(value)
	if value.HasDefault && value.Default != "" {
		help += " [default: " + value.Default + "]"
	}
	return help
}
