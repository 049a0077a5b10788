import { run } from '@zootools/email-spell-checker';
import type { WrappedFieldProps } from 'redux-form';
import { registrationCopy } from '#shared/content/registration.ts';
import { controlProps, FieldFrame, fieldId } from './form-field.tsx';

/** The e-mail field, with a suggestion when the address looks mistyped. */
export function EmailInput({ input, meta, label }: WrappedFieldProps & { label: string }) {
  return (
    <FieldFrame name={input.name} label={label} meta={meta} note={<Suggestion input={input} meta={meta} />}>
      <input
        {...input}
        {...controlProps(input.name, meta)}
        className="field__control"
        type="email"
        inputMode="email"
        autoComplete="email"
        autoCapitalize="off"
        autoCorrect="off"
        spellCheck={false}
        enterKeyHint="next"
      />
    </FieldFrame>
  );
}

/** Appears when the field loses focus with a valid address, and disappears when it gets focus again. */
function Suggestion({ input, meta }: WrappedFieldProps) {
  const left = meta.touched && !meta.active && meta.valid;
  const suggestion = left ? suggestEmail(String(input.value)) : undefined;
  const accept = () => {
    input.onChange(suggestion);
    document.getElementById(fieldId(input.name))?.focus();
  };
  return (
    <div className="field__suggestion" aria-live="polite">
      {suggestion !== undefined && (
        <button type="button" onClick={accept}>
          <BreakableEmail text={registrationCopy.contact.didYouMean(suggestion)} />
        </button>
      )}
    </div>
  );
}

/** Lets a line end before the @ rather than anywhere. */
function BreakableEmail({ text }: { text: string }) {
  const at = text.lastIndexOf('@');
  return (
    <>
      {text.slice(0, at)}
      <wbr />
      {text.slice(at)}
    </>
  );
}

/** How many letters a mistyped domain may differ from a known one. */
const LARGEST_DISTANCE = 2;
const LARGEST_LENGTH_DIFFERENCE = 1;

/** The address that is probably meant when it looks mistyped; undefined otherwise. */
export function suggestEmail(typed: string): string | undefined {
  const email = typed.trim();
  const at = email.lastIndexOf('@');
  if (at < 1) return undefined;
  const [name, domain] = [email.slice(0, at), email.slice(at + 1)];
  const meant = `${withoutStrayDots(name)}@${suggestDomain(domain.toLowerCase()) ?? domain}`;
  return meant === email ? undefined : meant;
}

/** Mail servers may refuse a dot at either end of a name or beside another one (RFC 5321, Dot-string). */
function withoutStrayDots(name: string): string {
  return name.startsWith('"') ? name : name.split('.').filter(Boolean).join('.') || name;
}

function suggestDomain(domain: string): string | undefined {
  if (isRightDomain(domain)) return undefined;
  const suggestion = run({
    // The package would URL-encode and lower-case the part before the @.
    email: `name@${domain}`,
    domains: guessedDomains.filter((known) => hasSimilarLength(known, domain)),
    domainThreshold: LARGEST_DISTANCE,
    // With its own lists it treats many correct domains as mistyped.
    secondLevelDomains: [],
    topLevelDomains: [],
  });
  return suggestion?.domain;
}

function hasSimilarLength(one: string, other: string): boolean {
  return Math.abs(one.length - other.length) <= LARGEST_LENGTH_DIFFERENCE;
}

/** Domains of mailbox providers, suggested when a typed domain is close to one of them. */
const guessedDomains: readonly string[] = `
gmail.com googlemail.com yahoo.com yahoo.co.uk yahoo.com.au hotmail.com hotmail.co.uk outlook.com
icloud.com comcast.net verizon.net sbcglobal.net bellsouth.net earthlink.net optonline.net
protonmail.com fastmail.com bigpond.com btinternet.com`
  .trim()
  .split(/\s/);

/** Correct domains that are close to one of the above. */
const rightDomains: readonly string[] =
  'cloud.com email.com gmac.com gmx.com mail.com protonmail.ch ymail.com'.split(' ');

/** Providers with domains in many countries; `.co`, `.cm` and `.om` count as mistyped `.com`. */
const INTERNATIONAL = /^(?:gmx|hotmail|live|outlook|yahoo|ymail)\.(?:com?\.)?(?!co$|cm$|om$)[a-z]{2}$/;

/** Whether a domain is taken as correct, so that nothing is suggested. */
function isRightDomain(domain: string): boolean {
  return guessedDomains.includes(domain) || rightDomains.includes(domain) || INTERNATIONAL.test(domain);
}
