#!/bin/sh
# Makes sure that PostgreSQL's server programs are there, for the private server of `homeplace serve` and of the tests.
# It searches where core/pg/local searches. Exit status 0: they are there. 1: they are not, and standard error says what to install.
set -u

oldest=15

# usable BIN: BIN holds the programs of a version that is new enough.
usable() {
	[ -x "$1/postgres" ] && [ -x "$1/initdb" ] || return 1
	major=$("$1/postgres" -V 2>/dev/null | sed -n 's/^.*(PostgreSQL) \([0-9][0-9]*\).*$/\1/p')
	[ "${major:-0}" -ge "$oldest" ]
}

found() {
	if [ -n "${PG_BIN:-}" ]; then
		usable "$PG_BIN"
		return
	fi
	if program=$(command -v postgres); then
		usable "$(dirname "$(readlink -f "$program" 2>/dev/null || echo "$program")")" && return
	fi
	for bin in /usr/lib/postgresql/*/bin /usr/pgsql-*/bin /usr/libexec/postgresql* \
		/opt/homebrew/opt/postgresql@*/bin /usr/local/opt/postgresql@*/bin /home/linuxbrew/.linuxbrew/opt/postgresql@*/bin; do
		usable "$bin" && return
	done
	return 1
}

has() { command -v "$1" >/dev/null 2>&1; }

give_up() {
	echo "PostgreSQL $oldest or later is missing: install its server (apt-get install postgresql, dnf install postgresql-server," \
		"apk add postgresql, pacman -S postgresql or brew install postgresql) or name another server with --database-url." >&2
	exit 1
}

# as_root COMMAND...: runs it as root, without ever asking for a password.
as_root() {
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	else
		sudo -n "$@"
	fi
}

# Debian's package makes and starts a cluster of its own unless this file forbids it. What an administrator has decided there stays.
forbid_default_cluster() {
	as_root sh -c '
		conf=/etc/postgresql-common/createcluster.conf
		mkdir -p "${conf%/*}" && touch "$conf" || exit
		grep -q "^[[:space:]]*create_main_cluster" "$conf" || echo "create_main_cluster = false" >>"$conf"'
}

install_system() {
	if has apt-get; then
		as_root apt-get update -q &&
			forbid_default_cluster &&
			as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends \
				-o Dpkg::Options::=--force-confold postgresql
	elif has dnf; then
		as_root dnf install -q -y postgresql-server postgresql-contrib
	elif has apk; then
		as_root apk add --no-progress postgresql postgresql-contrib
	elif has pacman; then
		as_root pacman -S --noconfirm --needed postgresql
	else
		return 1
	fi
}

install_brew() {
	has brew && [ "$(id -u)" -ne 0 ] && brew install --quiet postgresql@17
}

found && exit 0
[ -z "${PG_BIN:-}" ] || give_up # what is installed elsewhere would not be used
if [ "$(id -u)" -eq 0 ] || sudo -n true 2>/dev/null; then
	install_system >&2 || install_brew >&2
else
	install_brew >&2
fi
found || give_up
