package spamscore

import "strings"

// slots are the words that a template asks for.
var slots = makeSlots(map[string]string{
	"prize":   "iPhone|holiday|cash prize|gift card|free voucher|new phone|luxury cruise|camera|tablet|mystery prize|weekend away|£500 shopping voucher|$1000 gift card|console|smart TV|bonus award",
	"sum":     "£100|£250|£1000|£2000|$500|$5000|$10,000|€300|500 pounds|1000 cash|£5000|$750",
	"phone":   "08001234567|09061234567|08712345678|09012345678|07700900123|+447700900456|0845 1234567|1-800-555-0100",
	"code":    "80123|85555|60300|69999|82277|8007|81010|4448|61200",
	"keyword": "WIN|YES|PLAY|GO|CLAIM|TONE|CHAT|FREE|STAR|GAME|STOP|HOT|CASH|ENTER",
	"rate":    "150p/msg|10p per min|£1.50/week|25p per text|150ppm|£3/wk|national rate|50p/min|$2.99/msg",
	"site":    "www.example-prizes.com|http://win.example.net|bit.ly/abc12|www.tones.example.co.uk|https://offers.example.xyz|http://cheap.example.top|www.dating.example.com|example-loans.net",
	"mine":    "https://www.youtube.com/watch?v=abc|https://www.facebook.com/mypage|https://soundcloud.com/me|http://www.twitch.tv/me|https://twitter.com/me|http://myblog.example.com|www.mystore.example.com|https://www.gofundme.com/me|https://www.instagram.com/me|http://www.kickstarter.com/p/1",
	"channel": "channel|videos|video|page|music|songs|new song|covers|cover|mixtape|blog|website|remix|beats|profile|store|shop|track|new single|vids|playlist|account|rap|gaming channel|new album",
	"please":  "please|plz|pls|Please|PLEASE||||kindly",
	"hey":     "Hey guys,|Hi everyone|Hello!|HEY|Yo|Hi all|Hey everybody|Guys|||||Hello friends,|hey there",
	"back":    "I will sub back|and I'll subscribe back|I sub back|sub4sub|thanks|thank you so much|it would mean a lot|I promise you won't regret it|you won't be disappointed|and leave a comment|and give it a thumbs up|like and share|it helps me a lot",
	"drug":    "viagra|weight loss pills|cialis|diet tea|male enhancement|pain pills|keto gummies|CBD oil",
	"coin":    "bitcoin|crypto|forex|BTC|ethereum|binary options",
	"name":    "bro|babe|my love|darling|friend|Ash|Wen|Maya|James|Tasha|Mr Cole|Aunt Rose|Dre|Ken|Mom|Sarah|Grandma|Coach Bell|Marcus|Nia|Pastor Lee|dad|my sister|Jay|Kim",
	"place":   "the library|church|the market|school|the barbershop|the park|downtown|the museum|home|work|the gym|the community centre|campus|the store|the bus stop|my house|Atlanta|Chicago|Detroit",
	"day":     "today|tomorrow|tonight|on Friday|Saturday|next week|this weekend|after work|on Sunday|later|in the morning|at 5|at noon",
	"food":    "peach cobbler|gumbo|fried fish|the ribs|jollof rice|mac and cheese|the coffee|tacos|pancakes|dinner|lunch|the wings|banana pudding|pizza",
	"good":    "great|amazing|so good|wonderful|pretty good|beautiful|awesome|lovely|solid|really nice|the best|perfect|fire",
	"bad":     "terrible|awful|boring|trash|not great|overrated|so slow|disappointing|weird|wack|annoying",
	"thing":   "song|movie|book|game|show|album|recipe|episode|team|video|beat|voice|verse|dance|chorus|season|poem|story",
	"feel":    "lol|haha|omg|smh|lmao|:)|❤|!!!|...|😂|wow|ugh|https://t.co/x|https://t.co/y|:D|!!|||||",
	"verb":    "love|like|miss|remember|enjoy|hate|need|watch|play|hear|want|know|want to see",
	"count":   "2|3|10|1000|a million|2 billion|50|100|20|5|a few|so many",
	"team":    "Bulls|Yankees|Lakers|Jets|Hawks|Bears|Lions|the home team|our girls|Spurs|Arsenal",
	"trade":   "bakery|barber|bookshop|daycare|law office|print shop|art gallery|family restaurant|consulting firm|clinic|brewery|farmers market",
	"field":   "mathematics|medicine|music|civil rights|education|physics|engineering|poetry|business|sports",
})

func makeSlots(words map[string]string) map[string][]string {
	m := make(map[string][]string, len(words))
	for slot, list := range words {
		m[slot] = strings.Split(list, "|")
	}
	return m
}

var spamTemplates = lines(`
Congratulations! You have won a {prize}. To claim call {phone} now. {rate}
URGENT! Your mobile number has won {sum}. Claim by calling {phone}. Valid 12 hours only
You have been selected to receive a {prize}! Text {keyword} to {code} now. {rate} T&Cs apply
FREE entry into our weekly draw to win {sum}. Txt {keyword} to {code}. 18+ {rate}
Dear customer, you are awarded {sum}. Call {phone} to claim your {prize}. Reply STOP to opt out
Final notice: your {prize} is waiting for collection. Call {phone} from a landline. PO Box 12
Get the latest ringtone free! Text {keyword} to {code}. {rate}. Text STOP to end
Your subscription costs {rate}. To unsubscribe text STOP to {code}
Want to chat with local singles? Text {keyword} to {code} now! {rate} 18+ only
Hot girls near you are waiting for your call, dial {phone} now, {rate}
Someone you know has a crush on you. Find out who, call {phone} {rate}
We are trying to contact you. Last weekend's draw shows that you won a {prize}. Call {phone}
Your account statement shows 800 unredeemed points. Call {phone} identifier code {code}
Camera phone upgrade! Call {phone} now for the latest mobile with double minutes and free texts
Get 50% off line rental and 100 free minutes. Call {phone} or reply {keyword}
You have {count} new voicemails. Please call {phone} to listen. {rate}
Private! Your delivery of a {prize} could not be made. Call {phone} to arrange
Win {sum} every week! Answer this question: text A or B to {code}. {rate}
Win {count} tickets! Send {keyword} to {code} for a chance to win. {rate} Ts and Cs
Auction alert: bid for a {prize} now, send {keyword} to {code}
Bank alert: your account is suspended. Verify your details at {site} immediately
Your parcel is waiting, pay a small fee at {site} to release it
Need a loan? Bad credit ok! Instant approval up to {sum}. Apply now {site}
Claim your tax refund of {sum} here {site}
You may be entitled to compensation of {sum} for your accident. Reply {keyword}, to opt out text STOP
Cheap {drug} online, no prescription needed, order now {site}
Lose weight fast with {drug}, results guaranteed, buy now {site} limited offer
Make {sum} a week from home with no experience! Click here {site}
I earn {sum} a day working online, visit {site} to see how
My friend makes {sum} every week on the internet, here is how {site}
Invest in {coin} and double your money in 24 hours. Guaranteed profits. Message me on WhatsApp {phone}
I made {sum} with {coin} thanks to my trader, contact her on telegram
Get free gift cards and free {prize} at {site}
Free {prize}! Just enter your email at {site} no surveys, I got mine
Download this app and enter my referral code {code} to get free points and gift cards
Buy followers, likes and views, cheap and fast, {site}
We offer SEO services and can get your website to page one of the search results. Contact us at {site}
Best replica watches and designer bags, cheap price, free shipping {site}
Online casino bonus {sum} free spins, sign up now {site}
{hey} {please} check out my {channel} {back}
{hey} check out my {channel}! {mine}
{please} subscribe to my {channel} {back}
Subscribe to me {please} {back}
SUBSCRIBE TO MY {channel} {please} {back}
{hey} can you {please} check out my {channel}? I make {channel} and {back}
{hey} I am a young rapper trying to get noticed, check out my {channel}, {back}
{hey} I'm a singer from a small town and I upload covers, {please} visit my {channel} {back}
I know nobody will read this but {please} take a moment to check my {channel}, it would help me reach my dream
I just started a {channel}, {please} help me get to 1000 subscribers {back}
if you like this then go check out my {channel}
come visit my {channel} for more funny videos
go to my {channel} and subscribe
Follow me on twitter and instagram {mine} {back}
follow my {channel} {mine}
{mine} {please} like
{mine}
{mine} check it out
{please} like my page {mine} {back}
watch my new {channel} here {mine}
new {channel} out now {mine}
{please} support my {channel} by sharing {mine} {back}
{please} donate to help me {mine} any amount helps
{please} vote for me here {mine}
sub to my {channel}, {back}
Thumbs up if you want, then check my {channel}
Like this comment if you want me to upload more {channel}, subscribe
Check out this {channel} {mine}
Check out {mine} for great deals
Hi! Are you looking for a {prize}? Come to our {channel} {site}
{hey} we are a band from a small city and just posted our {channel}, {please} listen and give feedback {mine}
check my {channel} out {please}
add me on facebook {mine}
join us at {site} and earn money with us
free download here {site}
get your free trial today at {site} offer ends soon
limited time offer, order now and get {count} free, call {phone}
hi I am lonely and looking for a man, see my photos at {site}
adult webcam free sign up {site}
do you want to be rich? click the link {site}
click here to see how I did it {site}
Your weekly ringtone club tones are ready to download, {rate}
Your credits have been topped up for www.example.co.uk, renew PIN {code}
Get {count} free polyphonic ringtones and logos, txt {keyword} to {code}
You have an important customer service announcement, call FREEPHONE {phone} now
You have been invited to chat by a secret admirer, text {keyword} to {code}
You were outbid on a {prize}, to bid again reply {keyword}
Thanks for your ringtone order, ref {code}, your mobile will be charged {rate}
Live adult chat and naughty fantasies, call {phone}, {rate}
Send this message to {count} friends to win a {prize}
New mobiles from only {sum}, unlimited texts, call {phone} free delivery tomorrow
As a valued customer you will be entered in our prize draw for {sum}, reply {keyword}
Voucher holder, to claim this week's offer go to {site}
Download our new game and wallpapers free, send {keyword} to {code}
For sale, good condition, contact {phone}
Urgent! Your {prize} award expires {day}, call {phone}
subscribe my {channel}
pls subscribe me
help me get more views on my {channel} {please}
vote for me {mine}
share this page {mine} {please}
listen to my {channel} if you like rap, {back}
check this out {mine}
best way to make money online fast {site}
my sister got {count} views with this site {site}
Reply {keyword} to receive your free {prize}. Msg rates apply
Thanks for your order, your mobile will be charged {rate}. Questions call customer services {phone}
`)

var hamTemplates = lines(`
Hey {name}, are you coming to {place} {day}?
{name} said we meet at {place} {day} {feel}
ok see you {day} {feel}
I'll call you {day}, I'm at {place} now
can you call me when you get to {place}?
sorry I missed your call, my phone was off {feel}
what time does the bus leave for {place}?
I'm on my way, {count} minutes
did you eat yet? I made {food}
lol I can't stop thinking about {food}
u free {day}? we going to {place}
im at {place} already where r u
happy birthday {name}! hope you have a {good} day
good morning, have a {good} day at work
good night, sleep well {name}
I {verb} you so much {feel}
i {verb} this {thing} {feel}
I still {verb} this {thing} in 2015 {feel}
this {thing} is {good} {feel}
this {thing} is {bad} {feel}
that was the {thing} of my childhood
who else is listening to this {thing} {day}?
why does this {thing} have {count} views?
{count} views wow
anybody else here because of {name}?
best {thing} ever {feel}
her voice is {good}
the video is {bad} but I {verb} the {thing}
my favourite {thing} of all time
this makes me {verb} {place}
how old is she in this {thing}?
my phone is broken, text {name} instead
please call me back {name}, it's about {place}
please send me the address of {place}
please pick up some {food} on your way home
I won the game against {name} {feel}
we won {count} to 2, the {team} are {good}
the {team} lost again {feel}
the {team} are {bad} this season
the {team} play {day}
did you watch the {team} {day}? {feel}
RT @user: {team} game {day} {feel} https://t.co/x
@user {feel} that is {good}
@user @user I don't think so {feel}
@user look at this {feel} https://t.co/x
"@user: I {verb} {food}" me too {feel}
news: {team} sign new player https://t.co/x
The {food} at this place is {good}. Service was {bad} though.
Came here {day} with {name}. {food} was {good} and the staff friendly.
I paid $12 for {food} and it was {good}
Tickets are $10 at the door, doors open at 6
The market is open Saturdays from 8 to 1, free parking behind {place}
Free entry for children. Please bring a chair.
Join us for a free workshop at {place} {day}
Call the office at 555-0134 if you have questions
Our website is www.example.org and we are open {day}
You can find the schedule at https://example.org/schedule
We are a family owned {trade} serving the neighbourhood since 1978
A black-owned {trade} in {place} with {food} and a friendly team
First African-American professor of {field} at the university
Pioneer in {field}; taught for {count} years; inventor of a new method
Historic church founded in 1867, added to the register in 1984
Historical marker near {place}, opened 1921
A {trade} in {place}, open {day}
Brewery and {trade} with live music {day}
He who plants a tree plants hope
A wise man listens more than he speaks
When the elephants fight it is the grass that suffers
Patience can cook a stone
The river that forgets its source will dry up
If you want to go far, go together
Do you know a good {trade} near {place}?
Does anybody have the recipe for {food}?
I think the second {thing} was better than the first one
I read this {thing} {count} times, the ending is {bad}
This is a great point, thank you for sharing
Congratulations {name}! so proud of you
thanks for the link, I will watch the video {day}
thank you so much for the {food}
I can't believe it is {day} already
my channel on the TV is broken, only static
I subscribed to the paper years ago and {verb} it
my friend has a {thing} about {field}
my mom bought a new phone and can't use it {feel}
I got my cash from the bank {day}
I need {count} dollars for the bus
we should check out the new {trade} {day}
let me check with {name} first
I'll send it to you {day}, promise
don't text me at work {feel}
give me your number again, lost my contacts
@user @user {feel} I {verb} that {thing} {feel}
RT @user: I {verb} {food} {day} {feel}
RT @user: Get to {place} early {day} {feel}
Only {count} tickets left for {day}, get yours at https://t.co/x
{place} {day} with {name} {feel}
{name} got {food} for {name} {feel}
New {thing} by {name} {day} {feel}
Photo: {name} at {place} {feel}
{count} years ago {day}: {team} won at {place} {feel}
Read this story about {place} and {field} {feel}
text me when you are free {day}
send me the pics from {day} please
reply when you get this, waiting for you at {place}
can you bring {count} dollars {day}? I'll pay you back
my mobile was charged at {place}, I have full battery
got free {food} at {place} {day} {feel}
want to win {day} so bad, the {team} better play {good}
{name} wants to chat with you about {place}
new phone, who is this? {feel}
I get my hair done {day}, call me after
now I need to visit {place} with {name}
I see {name} is online now, tell her to call me
you have to hear this {thing} {feel}
just checked out of the hotel, heading to {place} now
let me know when you have a moment, I want to ask you something
can you please find out how much they want for it at {place}?
please tell {name} I am still waiting for the battery
I am down to my last {count} dollars, still waiting for my pay
think I could stop by in an hour or so?
are you still up for a visit {day}?
just looked it up, she goes back {day}
happy new year, I really miss you and wish you and the family happiness
be sure to check your email, we sent the photos {day}
I don't know how to download movies on this thing {feel}
the electricity just went out {feel}
don't be looking for a reason to be sad, you have love in your life
just trying to make your day a little more interesting
once the money is in my account I will pay the rent
nothing is ever easy but we will get there
I want to send you a file but it is too big for the mail
who will win the game {day}? {team} for me
have you got the new {thing}? I have been looking for it
the city will raise the price of water {day} https://t.co/x
voters wait in long lines at {place} {day} https://t.co/x
{count} people hurt in a fire near {place} https://t.co/x
fans return the lost ring to its owner https://t.co/x
free pattern for a warm hat, I made it {day} https://t.co/x
find out why {name} is leaving the {team} https://t.co/x
I like how you can change your comments on facebook now
the mayor will speak on TV about jobs {day}
my dad woke me up early for lunch {feel}
this kitten wants to know who you are https://t.co/x
what is your opinion on {field}?
it will be fun, I promise, get some sleep now
I had to cancel my visit, my car broke down
if you want it you can have it, it is yours
do you have any more of the {food} from {day}?
tell me what you need from the store
where are you? call me, I am outside
give my love to your mother, see you soon
you are my best friend and I will always be here for you
how was your trip? I hope you had a {good} time
she says her phone is off and to try later
yes
no problem {feel}
haha ok {feel}
what do you want for dinner?
I feel sick, staying home {day}
exam {day}, wish me luck
waiting for {name} at {place}, it's cold
the weather is {bad} {day}
`)
