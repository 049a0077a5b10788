/** Providers of mailboxes whose domains are worth a guess when a domain is close to one of them. */
export const guessedDomains: readonly string[] = [
  'gmail.com',
  'googlemail.com',
  'yahoo.com',
  'yahoo.co.uk',
  'yahoo.com.au',
  'hotmail.com',
  'hotmail.co.uk',
  'outlook.com',
  'icloud.com',
  'comcast.net',
  'verizon.net',
  'sbcglobal.net',
  'bellsouth.net',
  'earthlink.net',
  'optonline.net',
  'protonmail.com',
  'fastmail.com',
  'bigpond.com',
  'btinternet.com',
];

/** Domains that are right as they are although one of the above is close. */
const rightDomains: readonly string[] = [
  'cloud.com',
  'email.com',
  'gmac.com',
  'gmx.com',
  'mail.com',
  'protonmail.ch',
  'ymail.com',
];

/** Providers with a domain in many countries; `.co`, `.cm` and `.om` are slips of `.com` rather than countries. */
const INTERNATIONAL = /^(?:gmx|hotmail|live|outlook|yahoo|ymail)\.(?:com?\.)?(?!co$|cm$|om$)[a-z]{2}$/;

/** Whether nothing is to be guessed about a domain. */
export function isRightDomain(domain: string): boolean {
  return guessedDomains.includes(domain) || rightDomains.includes(domain) || INTERNATIONAL.test(domain);
}
