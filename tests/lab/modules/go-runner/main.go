// Copyright: (c) 2026, kubeops.kops contributors
// GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later

// What the publisher's images of Kubernetes' components bring as /go-runner, whose source is no Go module that a
// proxy has: it runs a program, and copies what that says into a file.
//
//	go-runner --log-file=FILE [--also-stdout] PROGRAM [ARGUMENT...]
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

func main() {
	file := flag.String("log-file", "", "the file to write to")
	both := flag.Bool("also-stdout", false, "write to standard output as well")
	flag.Parse()
	if *file == "" || flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "go-runner: a log file and a program are needed")
		os.Exit(2)
	}
	log, err := os.OpenFile(*file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		fmt.Fprintln(os.Stderr, "go-runner:", err)
		os.Exit(1)
	}
	os.Exit(run(flag.Args(), log, *both))
}

func run(words []string, log io.Writer, both bool) int {
	if both {
		log = io.MultiWriter(log, os.Stdout)
	}
	command := exec.Command(words[0], words[1:]...)
	command.Stdout, command.Stderr = log, log
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT)
	if err := command.Start(); err != nil {
		fmt.Fprintln(log, "go-runner:", err)
		return 1
	}
	go func() {
		for received := range signals {
			_ = command.Process.Signal(received)
		}
	}()
	var ended *exec.ExitError
	switch err := command.Wait(); {
	case errors.As(err, &ended):
		return max(ended.ExitCode(), 1)
	case err != nil:
		fmt.Fprintln(log, "go-runner:", err)
		return 1
	}
	return 0
}
