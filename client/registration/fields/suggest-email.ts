import { run } from '@zootools/email-spell-checker';
import { guessedDomains, isRightDomain } from './mail-domains.ts';

/** How far from a known domain a mistyped one may be: a letter or two. */
const LARGEST_DISTANCE = 2;
const LARGEST_LENGTH_DIFFERENCE = 1;

/** The address that is probably meant when its domain looks mistyped; undefined otherwise. */
export function suggestEmail(typed: string): string | undefined {
  const email = typed.trim();
  const at = email.lastIndexOf('@');
  const domain = email.slice(at + 1).toLowerCase();
  if (at < 1 || isRightDomain(domain)) return undefined;
  const suggestion = run({
    // The package would encode and lower the name before the @.
    email: `name@${domain}`,
    domains: guessedDomains.filter((known) => hasSimilarLength(known, domain)),
    domainThreshold: LARGEST_DISTANCE,
    // With its own lists it takes many right domains for mistyped ones.
    secondLevelDomains: [],
    topLevelDomains: [],
  });
  return suggestion && `${email.slice(0, at)}@${suggestion.domain}`;
}

function hasSimilarLength(one: string, other: string): boolean {
  return Math.abs(one.length - other.length) <= LARGEST_LENGTH_DIFFERENCE;
}
