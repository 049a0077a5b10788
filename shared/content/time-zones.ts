import { currentTimeZone, formatTimeZone, isKnownTimeZone } from '#shared/zoned-time.ts';

const COMMON = [
  'Pacific/Honolulu',
  'America/Anchorage',
  'America/Los_Angeles',
  'America/Phoenix',
  'America/Denver',
  'America/Mexico_City',
  'America/Chicago',
  'America/New_York',
  'America/Bogota',
  'America/Halifax',
  'America/St_Johns',
  'America/Sao_Paulo',
  'America/Argentina/Buenos_Aires',
  'Atlantic/Reykjavik',
  'Europe/London',
  'Africa/Lagos',
  'Europe/Berlin',
  'Africa/Johannesburg',
  'Europe/Athens',
  'Asia/Jerusalem',
  'Africa/Nairobi',
  'Europe/Istanbul',
  'Asia/Dubai',
  'Asia/Karachi',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Asia/Dhaka',
  'Asia/Bangkok',
  'Asia/Singapore',
  'Asia/Shanghai',
  'Asia/Tokyo',
  'Australia/Perth',
  'Australia/Adelaide',
  'Australia/Brisbane',
  'Australia/Sydney',
  'Pacific/Auckland',
];

export const timeZoneWords = {
  label: 'Your time zone',
  note: 'We show all times in this zone.',
  submit: 'Use this time zone',
} as const;

/**
 * The zones that she can choose, each with its name and a city. Those given are among them, in front of the common ones;
 * unknown ones are left out.
 */
export function zoneChoices(...given: readonly string[]): { id: string; name: string }[] {
  const known = given.filter(isKnownTimeZone).map(currentTimeZone);
  return [...new Set([...known.filter((id) => !COMMON.includes(id)), ...COMMON])].map((id) => ({
    id,
    name: `${formatTimeZone(id)} (${id.slice(id.lastIndexOf('/') + 1).replaceAll('_', ' ')})`,
  }));
}
