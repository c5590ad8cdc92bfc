package local

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

const (
	logLimit  = 10 << 20 // bytes of server.log, and of server.log.1
	tailLines = 15
	tailBytes = 8 << 10
)

func logPath(dir string) string { return filepath.Join(dir, "server.log") }

// openLog opens server.log for the server to append to.
func openLog(dir string) (*os.File, error) {
	if err := trimLog(dir); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(logPath(dir), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the server's log: %w", err)
	}
	return file, nil
}

// trimLog moves the end of a log over the limit to server.log.1 and empties the file in place: a running server keeps writing to it.
func trimLog(dir string) error {
	file, err := os.OpenFile(logPath(dir), os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("shorten the server's log: %w", err)
	}
	defer file.Close()
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return fmt.Errorf("shorten the server's log: %w", err)
	}
	if size <= logLimit {
		return nil
	}
	kept, err := os.OpenFile(logPath(dir)+".1", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("shorten the server's log: %w", err)
	}
	_, copyErr := io.Copy(kept, io.NewSectionReader(file, size-logLimit, logLimit))
	if err := errors.Join(copyErr, kept.Close(), file.Truncate(0)); err != nil {
		return fmt.Errorf("shorten the server's log: %w", err)
	}
	return nil
}

// logTail is the end of server.log, for an error message.
func logTail(dir string) string {
	file, err := os.Open(logPath(dir))
	if err != nil {
		return ""
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return ""
	}
	start := max(0, info.Size()-tailBytes)
	content, err := io.ReadAll(io.NewSectionReader(file, start, tailBytes))
	if err != nil {
		return ""
	}
	lines := bytes.Split(bytes.TrimSpace(content), []byte("\n"))
	return string(bytes.Join(lines[max(0, len(lines)-tailLines):], []byte("\n")))
}
