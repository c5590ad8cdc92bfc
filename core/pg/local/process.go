package local

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// process is a child in a process group of its own, so that a Ctrl-C at the terminal reaches it only through us.
type process struct {
	cmd    *exec.Cmd
	exited chan struct{} // closed when the child has ended
	err    error         // how it ended; read after exited
}

// launch starts the child. Where the system can, the child gets onDeath when this process dies, whatever the reason.
func launch(cmd *exec.Cmd, onDeath syscall.Signal) (*process, error) {
	cmd.SysProcAttr.Setpgid = true
	setDeathSignal(cmd.SysProcAttr, onDeath)
	p := &process{cmd: cmd, exited: make(chan struct{})}
	started := make(chan error)
	go func() {
		// The death signal is bound to the thread that started the child, which must therefore live as long as the child.
		runtime.LockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			p.err = cmd.Wait()
			close(p.exited)
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

func (p *process) pid() int { return p.cmd.Process.Pid }

// finish waits for the child's own end, or kills its whole group when the context ends first.
func (p *process) finish(ctx context.Context) error {
	select {
	case <-p.exited:
		return p.err
	case <-ctx.Done():
		err := syscall.Kill(-p.pid(), syscall.SIGKILL)
		<-p.exited
		return errors.Join(ctx.Err(), err)
	}
}

// stop ends a PostgreSQL server: fast, then at once, then by force.
func (p *process) stop(ctx context.Context) error {
	select {
	case <-p.exited:
		return nil
	default:
	}
	if err := p.cmd.Process.Signal(syscall.SIGINT); err != nil {
		return nil // ended this moment
	}
	select {
	case <-p.exited:
		if p.err != nil {
			return fmt.Errorf("stop postgres: %w", p.err)
		}
		return nil
	case <-ctx.Done():
	case <-time.After(fastLimit):
	}
	// Signals to a child that has ended meanwhile do nothing, and that is what is wanted.
	p.cmd.Process.Signal(syscall.SIGQUIT)
	select {
	case <-p.exited:
	case <-time.After(immediateLimit):
		syscall.Kill(-p.pid(), syscall.SIGKILL)
		<-p.exited
	}
	return errors.New("stop postgres: it did not end in time and was stopped at once; its next start replays its log")
}
