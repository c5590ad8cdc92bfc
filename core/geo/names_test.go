package geo_test

import (
	"strings"
	"testing"

	"homeplace/core/geo"
)

func TestCity(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, region      string
		city, in, country string // the answer, "" for none
	}{
		{"atlanta", "GA", "Atlanta", "GA", "US"},
		{"ATLANTA", "georgia", "Atlanta", "GA", "US"},
		{"St. Louis", "MO", "St. Louis", "MO", "US"},
		{"saint louis", "Missouri", "St. Louis", "MO", "US"},
		{"Ft Worth", "TX", "Fort Worth", "TX", "US"},
		{"mt. vernon", "NY", "Mount Vernon", "NY", "US"},
		{"coeur dalene", "ID", "Coeur d'Alene", "ID", "US"},
		{"winston salem", "", "Winston-Salem", "NC", "US"},
		{"nyc", "", "New York", "NY", "US"},
		{"Manhattan", "", "New York", "NY", "US"},
		{"Manhattan", "KS", "Manhattan", "KS", "US"},
		{"Washington", "", "Washington", "DC", "US"},
		{"Birmingham", "", "Birmingham", "AL", "US"},
		{"Birmingham", "England", "Birmingham", "England", "GB"},
		{"London", "", "London", "England", "GB"},
		{"London", "OH", "London", "OH", "US"},
		{"London", "CA", "London", "Ontario", "CA"},
		{"sao paulo", "", "São Paulo", "São Paulo", "BR"},
		{"Port au Prince", "HT", "Port-au-Prince", "Ouest", "HT"},
		{"Holtsville", "NY", "Holtsville", "NY", "US"},
		{"Atlanta", "AK", "", "", ""},
		{"Nowhereville", "", "", "", ""},
		{"", "", "", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name+" "+tt.region, func(t *testing.T) {
			t.Parallel()
			got, ok := geo.Builtin().City(tt.name, tt.region)
			if got.City != tt.city || got.Region != tt.in || got.Country != tt.country || ok != (tt.city != "") {
				t.Errorf("City = %+v, %t", got, ok)
			}
		})
	}
}

func TestMatchCity(t *testing.T) {
	t.Parallel()
	tests := []struct {
		query        string
		city, region string
		words        int
	}{
		{"atlanta soul food", "Atlanta", "GA", 1},
		{"atlanta, GA soul food", "Atlanta", "GA", 2},
		{"washington dc museum", "Washington", "DC", 2},
		{"new york city pizza", "New York", "NY", 3},
		{"kansas city mo bbq", "Kansas City", "MO", 3},
		{"st louis", "St. Louis", "MO", 2},
		{"san juan puerto rico", "San Juan", "PR", 4},
		{"portland maine", "Portland", "ME", 2},
		{"media pa", "Media", "PA", 2},
		{"media training", "", "", 0},
		{"best coffee", "", "", 0},
		{"georgia peaches", "", "", 0},
		{"london", "", "", 0},
		{"", "", "", 0},
	}
	for _, tt := range tests {
		t.Run(tt.query, func(t *testing.T) {
			t.Parallel()
			got, n, ok := geo.Builtin().MatchCity(strings.Fields(tt.query))
			if got.City != tt.city || got.Region != tt.region || n != tt.words || ok != (tt.words > 0) {
				t.Errorf("MatchCity = %+v, %d, %t", got, n, ok)
			}
		})
	}
}

func TestMatchCityEnd(t *testing.T) {
	t.Parallel()
	tests := []struct {
		query, city, region string
		words               int
	}{
		{"soul food in new orleans", "New Orleans", "LA", 2},
		{"barber shop Columbus, Georgia", "Columbus", "GA", 2},
		{"barber shop columbus", "Columbus", "OH", 1},
		{"soul food", "", "", 0},
	}
	for _, tt := range tests {
		t.Run(tt.query, func(t *testing.T) {
			t.Parallel()
			got, n, ok := geo.Builtin().MatchCityEnd(strings.Fields(tt.query))
			if got.City != tt.city || got.Region != tt.region || n != tt.words || ok != (tt.words > 0) {
				t.Errorf("MatchCityEnd = %+v, %d, %t", got, n, ok)
			}
		})
	}
}
