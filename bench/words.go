package main

import (
	"math"
	"math/rand/v2"
	"strings"
)

// Invented syllables: any onset, middle and ending make a family name, 32,768
// in all.
var (
	onsets = strings.Fields(`Bar Bel Bran Cal Car Dar Del Dun El Fal Far Gar Gran Hal Har Hol Kel Kin Lan Lor Mal Mar Mon Nor Pel Quin Ram Sel Tal Tor Van Wel`)
	middle = strings.Fields(`a ab ad al am an ar as e eb ed el em en er es i ib id il im in ir is o ob od ol om on or os`)
	ending = strings.Fields(`bury by cott dale den field ford gate ham holm hurst land ley low man mead mere more ner ridge row sby ser shaw son stead ster ton wald well wick worth`)
)

// The small vocabularies, which do not grow with the directory.
var (
	givenNames = strings.Fields(`Ada Amos Asha Bela Calvin Cora Dalia Darius Edda Elias Esme Ezra Fay Gideon Hazel Imani Ines Isaac Ivo Jada Jonah Josie Kofi
		Lena Leroy Lois Lucius Mabel Malik Marta Miles Naomi Nia Obed Odette Orla Otis Pearl Quincy Ramona Reuben Rosa Ruth Samir Selma Silas Simone Tamar
		Thea Tobias Uma Vera Viola Wanda Wendell Yara Zeke Zora`)
	adjectives = strings.Fields(`Amber Ancient Bright Bronze Calm Cedar Copper Coral Crimson Crystal Daring Diamond Early Emerald Faithful First Gentle Gilded
		Golden Grand Happy Harbor Heritage Honest Indigo Ivory Jasmine Jolly Juniper Kind Lavender Little Lively Lucky Magnolia Marble Mellow Merry Midnight
		Modern Noble Northern Olive Opal Peaceful Pioneer Prime Proud Quiet Radiant Royal Ruby Rustic Sage Sapphire Scarlet Silver Southern Steady Summit
		Sunny Swift Tender Twin United Urban Velvet Violet Warm Western Wild Willow Winter`)
	suffixes  = strings.Fields(`Alliance Arcade Atelier Brothers Center Circle Collective Company Co Corner Depot Emporium Group House Inc Kitchen LLC Loft Market Partners Place Project Room Shop Sisters Society Studio Supply Works Workshop`)
	landmarks = strings.Fields(`Academy Arch Bridge Building Cemetery Chapel Church Cottage Court Farm Fountain Gallery Garden Hall House Library Lodge Memorial Mill Monument Park Plaza School Square Station Temple Theater Tower`)
	events    = strings.Fields(`Banquet Bazaar Carnival Concert Conference Convention Expo Fair Festival Fundraiser Gala Homecoming Jubilee Marathon Meetup Parade Picnic Rally Reunion Showcase Summit Symposium Tasting Workshop`)
	streets   = strings.Fields(`Alley Avenue Boulevard Circle Court Drive Lane Parkway Place Road Street Terrace Trail Way`)
	prose     = strings.Fields(`a about after all and around art at award bold bring build by care children city classic clean community cook corner craft
		daily deep design each evening every family fair food for founder fresh friend from full garden gather generation good grow hand heart help history
		home hope in joy keep kitchen known large learn local long love made make meal morning music near neighbor new of old on open order our owner pair
		people place plan quality read ready recipe repair room root safe season serve share since skill slow small song stay story street strong style
		sunday taste teach team the their time to tradition trust two under use visit walk warm week welcome with wood work year young youth`)
)

// familyName is the i-th family name; neighbours in the order look nothing alike.
func familyName(i int) string {
	const scatter = 18_397 // odd, so that every name comes up once
	n := (i * scatter) % (len(onsets) * len(middle) * len(ending))
	return onsets[n%len(onsets)] + middle[n/len(onsets)%len(middle)] + ending[n/len(onsets)/len(middle)]
}

// vocabularySize is how many family names a directory of n entries knows: it
// grows with the root, as the distinct words of texts do (Heaps' law).
func vocabularySize(n int) int { return 300 + int(30*math.Sqrt(float64(n))) }

// skewed is an index below n, the small ones likelier: the first has a share of
// the root of 1/n.
func skewed(r *rand.Rand, n int) int {
	u := r.Float64()
	return int(u * u * float64(n))
}

func pick(r *rand.Rand, words []string) string { return words[r.IntN(len(words))] }

// sentence is n words of prose with a capital and a full stop.
func sentence(r *rand.Rand, n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = pick(r, prose)
	}
	text := strings.Join(words, " ") + "."
	return strings.ToUpper(text[:1]) + text[1:]
}
