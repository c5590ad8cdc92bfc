package geo

// areaNames holds the names of first-level areas by country and GeoNames code, for
// the countries visitors write from most. City files carry the codes alone.
var areaNames = map[string]map[string]string{
	"AU": {
		"01": "Australian Capital Territory", "02": "New South Wales", "03": "Northern Territory",
		"04": "Queensland", "05": "South Australia", "06": "Tasmania", "07": "Victoria", "08": "Western Australia",
	},
	"BR": {
		"01": "Acre", "02": "Alagoas", "03": "Amapá", "04": "Amazonas", "05": "Bahia", "06": "Ceará",
		"07": "Federal District", "08": "Espírito Santo", "11": "Mato Grosso do Sul", "13": "Maranhão",
		"14": "Mato Grosso", "15": "Minas Gerais", "16": "Pará", "17": "Paraíba", "18": "Paraná", "20": "Piauí",
		"21": "Rio de Janeiro", "22": "Rio Grande do Norte", "23": "Rio Grande do Sul", "24": "Rondônia",
		"25": "Roraima", "26": "Santa Catarina", "27": "São Paulo", "28": "Sergipe", "29": "Goiás",
		"30": "Pernambuco", "31": "Tocantins",
	},
	"CA": {
		"01": "Alberta", "02": "British Columbia", "03": "Manitoba", "04": "New Brunswick",
		"05": "Newfoundland and Labrador", "07": "Nova Scotia", "08": "Ontario", "09": "Prince Edward Island",
		"10": "Quebec", "11": "Saskatchewan", "12": "Yukon", "13": "Northwest Territories", "14": "Nunavut",
	},
	"DE": {
		"01": "Baden-Württemberg", "02": "Bavaria", "03": "Bremen", "04": "Hamburg", "05": "Hesse",
		"06": "Lower Saxony", "07": "North Rhine-Westphalia", "08": "Rhineland-Palatinate", "09": "Saarland",
		"10": "Schleswig-Holstein", "11": "Brandenburg", "12": "Mecklenburg-Vorpommern", "13": "Saxony",
		"14": "Saxony-Anhalt", "15": "Thuringia", "16": "Berlin",
	},
	"FR": {
		"11": "Île-de-France", "24": "Centre-Val de Loire", "27": "Bourgogne-Franche-Comté", "28": "Normandy",
		"32": "Hauts-de-France", "44": "Grand Est", "52": "Pays de la Loire", "53": "Brittany",
		"75": "Nouvelle-Aquitaine", "76": "Occitanie", "84": "Auvergne-Rhône-Alpes",
		"93": "Provence-Alpes-Côte d'Azur", "94": "Corsica",
	},
	"GB": {
		"ENG": "England", "NIR": "Northern Ireland", "SCT": "Scotland", "WLS": "Wales",
	},
	"GH": {
		"01": "Greater Accra", "02": "Ashanti", "03": "Brong-Ahafo", "04": "Central", "05": "Eastern",
		"06": "Northern", "08": "Volta", "09": "Western", "10": "Upper East", "11": "Upper West",
		"12": "Ahafo", "13": "Bono", "14": "Bono East", "15": "North East", "16": "Oti",
		"17": "Savannah", "18": "Western North",
	},
	"HT": {
		"03": "Nord-Ouest", "06": "Artibonite", "07": "Centre", "09": "Nord", "10": "Nord-Est", "11": "Ouest",
		"12": "Sud", "13": "Sud-Est", "14": "Grand'Anse", "15": "Nippes",
	},
	"JM": {
		"01": "Clarendon", "02": "Hanover", "04": "Manchester", "07": "Portland", "08": "Saint Andrew",
		"09": "Saint Ann", "10": "Saint Catherine", "11": "Saint Elizabeth", "12": "Saint James", "13": "Saint Mary",
		"14": "Saint Thomas", "15": "Trelawny", "16": "Westmoreland", "17": "Kingston",
	},
	"KE": {
		"05": "Nairobi", "10": "Baringo", "11": "Bomet", "12": "Bungoma", "13": "Busia", "14": "Elgeyo-Marakwet",
		"15": "Embu", "16": "Garissa", "17": "Homa Bay", "18": "Isiolo", "19": "Kajiado", "20": "Kakamega",
		"21": "Kericho", "22": "Kiambu", "23": "Kilifi", "24": "Kirinyaga", "25": "Kisii", "26": "Kisumu",
		"27": "Kitui", "28": "Kwale", "29": "Laikipia", "30": "Lamu", "31": "Machakos", "32": "Makueni",
		"33": "Mandera", "34": "Marsabit", "35": "Meru", "36": "Migori", "37": "Mombasa", "38": "Murang'a",
		"39": "Nakuru", "40": "Nandi", "41": "Narok", "42": "Nyamira", "43": "Nyandarua", "44": "Nyeri",
		"45": "Samburu", "46": "Siaya", "47": "Taita-Taveta", "48": "Tana River", "49": "Tharaka-Nithi",
		"50": "Trans Nzoia", "51": "Turkana", "52": "Uasin Gishu", "53": "Vihiga", "54": "Wajir", "55": "West Pokot",
	},
	"MX": {
		"01": "Aguascalientes", "02": "Baja California", "03": "Baja California Sur", "04": "Campeche",
		"05": "Chiapas", "06": "Chihuahua", "07": "Coahuila", "08": "Colima", "09": "Mexico City", "10": "Durango",
		"11": "Guanajuato", "12": "Guerrero", "13": "Hidalgo", "14": "Jalisco", "15": "State of Mexico",
		"16": "Michoacán", "17": "Morelos", "18": "Nayarit", "19": "Nuevo León", "20": "Oaxaca", "21": "Puebla",
		"22": "Querétaro", "23": "Quintana Roo", "24": "San Luis Potosí", "25": "Sinaloa", "26": "Sonora",
		"27": "Tabasco", "28": "Tamaulipas", "29": "Tlaxcala", "30": "Veracruz", "31": "Yucatán", "32": "Zacatecas",
	},
	"NG": {
		"05": "Lagos", "11": "Federal Capital Territory", "16": "Ogun", "21": "Akwa Ibom", "22": "Cross River",
		"23": "Kaduna", "24": "Katsina", "25": "Anambra", "26": "Benue", "27": "Borno", "28": "Imo", "29": "Kano",
		"30": "Kwara", "31": "Niger", "32": "Oyo", "35": "Adamawa", "36": "Delta", "37": "Edo", "39": "Jigawa",
		"40": "Kebbi", "41": "Kogi", "42": "Osun", "43": "Taraba", "44": "Yobe", "45": "Abia", "46": "Bauchi",
		"47": "Enugu", "48": "Ondo", "49": "Plateau", "50": "Rivers", "51": "Sokoto", "52": "Bayelsa",
		"53": "Ebonyi", "54": "Ekiti", "55": "Gombe", "56": "Nasarawa", "57": "Zamfara",
	},
	"TT": {
		"01": "Arima", "03": "Mayaro", "05": "Port of Spain", "10": "San Fernando", "11": "Tobago",
		"CHA": "Chaguanas", "CTT": "Couva-Tabaquite-Talparo", "DMN": "Diego Martin", "PED": "Penal-Debe",
		"PRT": "Princes Town", "PTF": "Point Fortin", "SGE": "Sangre Grande", "SIP": "Siparia",
		"SJL": "San Juan-Laventille", "TUP": "Tunapuna-Piarco",
	},
	"ZA": {
		"02": "KwaZulu-Natal", "03": "Free State", "05": "Eastern Cape", "06": "Gauteng", "07": "Mpumalanga",
		"08": "Northern Cape", "09": "Limpopo", "10": "North West", "11": "Western Cape",
	},
}

// Areas holds names of first-level areas under "CC.code", as in "CA.08": what
// [ParseAreas] reads and [Gazetteer.ParseCities] wants.
type Areas map[string]string

// name prefers a's own name of an area over the built-in one.
func (a Areas) name(country, code string) string {
	if name, ok := a[country+"."+code]; ok {
		return name
	}
	return areaNames[country][code]
}
