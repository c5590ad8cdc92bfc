package local

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// account is the user whom root hands the server to. A nil account is a process that is not root: it runs the server itself.
type account struct {
	name     string
	uid, gid int
}

// accountFor picks the owner of the cluster in dir, else the user "postgres", else "nobody"; nil unless this process is root.
func accountFor(dir string) (*account, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	if info, err := os.Stat(filepath.Join(dir, "data")); err == nil {
		if stat := info.Sys().(*syscall.Stat_t); stat.Uid != 0 {
			a := &account{name: "uid " + strconv.Itoa(int(stat.Uid)), uid: int(stat.Uid), gid: int(stat.Gid)}
			if u, err := user.LookupId(strconv.Itoa(a.uid)); err == nil {
				a.name = u.Username
			}
			return a, nil
		}
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.Atoi(u.Uid)
		gid, gidErr := strconv.Atoi(u.Gid)
		if err := errors.Join(uidErr, gidErr); err != nil {
			return nil, fmt.Errorf("look up user %s: %w", name, err)
		}
		return &account{name: name, uid: uid, gid: gid}, nil
	}
	return nil, errors.New("PostgreSQL does not run as root, and there is no user \"postgres\" or \"nobody\" to run it: add one, or start as another user")
}

// command prepares a program of PostgreSQL with an environment that holds none of this process's secrets and no PG* variable.
func (a *account) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Env = []string{"LC_ALL=C", "TZ=UTC"}
	for _, key := range []string{"PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"} {
		if value, ok := os.LookupEnv(key); ok {
			cmd.Env = append(cmd.Env, key+"="+value)
		}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	if a != nil {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
	return cmd
}

// own gives the file to the account.
func (a *account) own(path string) error {
	if a == nil {
		return nil
	}
	if err := os.Lchown(path, a.uid, a.gid); err != nil {
		return fmt.Errorf("give %s to user %s: %w", path, a.name, err)
	}
	return nil
}

// blocked names the first directory on the way to path, itself included, that the account may not enter; "" where the way is free. It reads mode bits:
// an access list that grants more goes unseen.
func (a *account) blocked(path string) string {
	if a == nil {
		return ""
	}
	for dir := path; ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil {
			return dir
		}
		stat, bit := info.Sys().(*syscall.Stat_t), os.FileMode(0o001)
		switch {
		case int(stat.Uid) == a.uid:
			bit = 0o100
		case int(stat.Gid) == a.gid:
			bit = 0o010
		}
		if info.Mode().Perm()&bit == 0 {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}
