package main

import (
	"testing"

	"homeplace/core/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }
