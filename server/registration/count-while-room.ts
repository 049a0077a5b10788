/**
 * How Redis counts for a `RateLimiterRedis`, in place of the library's own way: whoever finds it full is not counted, and
 * what is given back when its time is over counts for nothing. Else refused attempts would take the places that others
 * give back, or a flood of them, given back too late, would make room for as many.
 */
export const COUNT_WHILE_ROOM = `
local points, seconds, most = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[3])
local counted = tonumber(redis.call('get', KEYS[1]) or 0)
local leftMs = redis.call('pttl', KEYS[1])
if leftMs < 0 then
  if points < 0 then return {0, 0} end
  counted, leftMs = 0, seconds * 1000
end
if points > 0 and counted + points > most then return {counted + points, leftMs} end
redis.call('set', KEYS[1], counted + points, 'PX', leftMs)
return {counted + points, leftMs}
`;
