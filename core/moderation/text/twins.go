package text

// twins are signs that read like plain ones: quotes and dashes, Latin letters
// that decomposition leaves whole, and letters of other scripts as people use
// them to dodge word lists. Chosen by eye from the Unicode charts; a whole word
// of another script becomes nonsense, which matches nothing.
var twins = makeTwins(map[string]string{
	"'":  "‘’ʼʻ‛′`´",
	`"`:  "“”„‟″«»",
	"-":  "‐‑‒–—−",
	"/":  "⁄",
	"*":  "∗✱✻•●·×",
	"a":  "аαɑᴀäꭺаӑꓮ∀",
	"b":  "ƅьвʙᏼꓐɓ",
	"c":  "сϲᴄⅽꓚᏟ¢",
	"d":  "ԁđðɖɗᴅꓒᎠ",
	"e":  "еєεҽᴇəɛɘꓰᎬℯ",
	"f":  "ƒꜰꞙϝꓝ",
	"g":  "ɡցɢԍꓖᏀ",
	"h":  "һհħнʜηꓧᎻ",
	"i":  "іιıɪɩӏꓲꙇ",
	"j":  "јϳᴊꓙᎫ",
	"k":  "кκᴋƙꓗᏦ",
	"l":  "łʟꓡᏞⅼ∣ǀ",
	"m":  "мᴍꓟᎷ",
	"n":  "пոɴŋꓠ",
	"o":  "оοσօøᴏɔꓳ๐",
	"p":  "рρᴘþꓑᏢ",
	"q":  "ԛզ",
	"r":  "гʀꞧꓣᏒ",
	"s":  "ѕꜱꓢᏚ",
	"t":  "тτᴛŧꓔᎢ",
	"u":  "υսᴜʋꓴц",
	"v":  "νѵᴠꓦᏙ",
	"w":  "ԝωᴡшꓪᎳ",
	"x":  "хχꓫ",
	"y":  "уүγʏꓬ",
	"z":  "ᴢʐꓜᏃ",
	"ss": "ß",
	"ae": "æ",
	"oe": "œ",
})

func makeTwins(groups map[string]string) map[rune]string {
	twins := make(map[rune]string)
	for plain, others := range groups {
		for _, r := range others {
			twins[r] = plain
		}
	}
	return twins
}
