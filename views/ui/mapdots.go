package ui

import (
	"math"
	"strconv"
)

// Point is a place on a map, in degrees.
type Point struct {
	Name     string
	Lat, Lng float64
}

func (p Point) coordinates() string {
	return strconv.FormatFloat(p.Lat, 'f', 5, 64) + "," + strconv.FormatFloat(p.Lng, 'f', 5, 64)
}

// The drawing is 320 by 200 units with the place in its middle.
const (
	mapHalfWidth  = 160.0
	mapHalfHeight = 100.0
	mapMargin     = 12.0
	kmPerDegree   = 111.195
)

type mapDot struct{ Name, X, Y string }

type mapPlan struct {
	Dots      []mapDot
	Rings     []string // radii
	Scale     string   // path of the scale's bar
	ScaleText string
}

// plan fits the points into the drawing. At the scale of a town the earth is
// flat enough.
func (p MapProps) plan() mapPlan {
	east := func(o Point) float64 {
		return math.Remainder(o.Lng-p.Here.Lng, 360) * math.Cos(p.Here.Lat*math.Pi/180) * kmPerDegree
	}
	north := func(o Point) float64 { return (o.Lat - p.Here.Lat) * kmPerDegree }
	scale := math.Inf(1) // units to the kilometre
	for _, o := range p.Others {
		scale = min(scale, (mapHalfWidth-mapMargin)/math.Abs(east(o)), (mapHalfHeight-mapMargin)/math.Abs(north(o)))
	}
	if math.IsInf(scale, 1) || math.IsNaN(scale) {
		scale = mapHalfHeight
	}
	var plan mapPlan
	for _, o := range p.Others {
		plan.Dots = append(plan.Dots, mapDot{o.Name, decimal(mapHalfWidth + east(o)*scale), decimal(mapHalfHeight - north(o)*scale)})
	}
	step := roundDistance(60 / scale)
	for i := 1; float64(i)*step*scale < mapHalfWidth+60; i++ {
		plan.Rings = append(plan.Rings, decimal(float64(i)*step*scale))
	}
	plan.Scale = "M14 186v4h" + decimal(step*scale) + "v-4"
	plan.ScaleText = distanceText(step)
	return plan
}

// roundDistance is the nearest of 1, 2 and 5 times a power of ten.
func roundDistance(km float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(km)))
	for _, step := range []float64{1, 2, 5} {
		if km < step*power*1.45 {
			return step * power
		}
	}
	return 10 * power
}

func distanceText(km float64) string {
	if km < 1 {
		return strconv.Itoa(int(math.Round(km*1000))) + " m"
	}
	return strconv.FormatFloat(km, 'f', -1, 64) + " km"
}
