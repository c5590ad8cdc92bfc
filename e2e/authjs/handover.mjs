// A program takes over the session that a signed-in browser hands it, with the
// client library that such programs use, unchanged.
//
//   node handover.mjs AUTH_ADDRESS ACCESS_TOKEN REFRESH_TOKEN
import assert from 'node:assert/strict'
import { GoTrueClient } from '@supabase/auth-js'

const [url, access_token, refresh_token] = process.argv.slice(2)
const kept = new Map()
const storage = {
  getItem: key => kept.get(key) ?? null,
  setItem: (key, value) => void kept.set(key, value),
  removeItem: key => void kept.delete(key),
}
const client = new GoTrueClient({ url, storage, autoRefreshToken: false, detectSessionInUrl: false })
const good = async (what, answer) => {
  const { data, error } = await answer
  assert.equal(error, null, `${what}: ${error?.code} ${error?.message}`)
  return data
}

const taken = await good('setSession', client.setSession({ access_token, refresh_token }))
const id = taken.user.id
assert.equal((await good('getUser', client.getUser())).user.id, id)
assert.equal((await good('getClaims', client.getClaims())).claims.sub, id)
const renewed = await good('refreshSession', client.refreshSession())
assert.notEqual(renewed.session.refresh_token, refresh_token)
const changed = await good('updateUser', client.updateUser({ data: { display_name: 'From a phone' } }))
assert.equal(changed.user.user_metadata.display_name, 'From a phone')
await good('signOut', client.signOut({ scope: 'local' }).then(r => ({ data: null, ...r })))
const late = await client.getUser(renewed.session.access_token)
assert.notEqual(late.error, null, 'the session goes on after it was signed out')
console.log('handed over')
