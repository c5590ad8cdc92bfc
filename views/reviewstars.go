package views

import "fmt"

// starPath is the outline of the i-th of five stars, or of its left half, on a
// ground 120 wide.
func starPath(i int, half bool) string {
	x := 24 * i
	if half {
		return fmt.Sprintf("M%d 2v15.8l-6.2 3.4 1.3-7L%d 9.3l7-.9z", x+12, x+2)
	}
	return fmt.Sprintf("m%d 2 3 6.4 7 .9-5.1 4.9 1.3 7-6.2-3.4-6.2 3.4 1.3-7L%d 9.3l7-.9z", x+12, x+2)
}

// starWords say what whole stars show: "4 out of 5 stars".
func starWords(n int) string { return fmt.Sprintf("%d out of 5 stars", n) }
