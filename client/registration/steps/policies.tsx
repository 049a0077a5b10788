import { useEffect, useRef, useState } from 'react';
import { selectSite, useAppSelector } from '#client/store/store.ts';
import { OfficeEmailLink, OfficePhoneLink } from '#client/ui/links.tsx';
import { type Replacement, withReplacements } from '#client/ui/texts.tsx';
import { facts, terms } from '#shared/content/compiled/on-sale.ts';
import type { Policy } from '#shared/content/edition.ts';
import { onOneLine, policiesOf, termsPathOf } from '#shared/content/policies.ts';
import { registrationCopy } from '#shared/content/registration.ts';
import { type OfficeContact, POLICIES_ID } from '#shared/page.ts';

/**
 * The policies a registrant agrees to, and the recording notice (R2.6). Of each, what comes after its last sum is
 * folded, so that card fields, message and button are not far from each other on a phone.
 */
export function Policies() {
  return (
    <div id={POLICIES_ID} className="policies">
      <PolicyTexts foldAfter={lastSumIn} />
    </div>
  );
}

function lastSumIn({ paragraphs }: Policy): number {
  return Math.max(
    0,
    paragraphs.findLastIndex((paragraph) => paragraph.includes('$')),
  );
}

/** Whether the page was opened at the policies' anchor, and nothing was clicked since. */
let arrivedAtPolicies: boolean | undefined;

/**
 * The policies for a visitor who wants to read them before the payment step: collapsed, and opened by a link
 * to them. Until then there is only the link to the terms page: the HTML's size is budgeted, and the text grows with what
 * card networks and lawyers ask for.
 */
export function PolicyDetails() {
  const details = useRef<HTMLDetailsElement>(null);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    // A visitor may have opened it before the section was hydrated.
    setOpen(details.current?.open ?? false);
    const open = () => {
      if (details.current) details.current.open = true;
    };
    const openWhenLed = ({ target }: Event) => {
      arrivedAtPolicies = false;
      if (target instanceof Element && target.closest(`a[href="#${POLICIES_ID}"]`)) open();
    };
    arrivedAtPolicies ??= location.hash === `#${POLICIES_ID}`;
    if (arrivedAtPolicies) open();
    // Captured, so that it runs before the click's own handlers: what they show is not what she arrived at.
    addEventListener('click', openWhenLed, true);
    return () => removeEventListener('click', openWhenLed, true);
  }, []);
  return (
    <details
      ref={details}
      id={POLICIES_ID}
      className="policy-details"
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      suppressHydrationWarning
    >
      <summary>{registrationCopy.policies}</summary>
      {isOpen ? <PolicyTexts /> : <PoliciesToKeep />}
    </details>
  );
}

/** A link to the terms, to keep or print. It opens another tab, since card data may be typed in this one. */
export function PoliciesToKeep() {
  return (
    <p>
      <a href={termsPathOf(facts, terms)} target="_blank" rel="noopener">
        {registrationCopy.policiesToKeep}
      </a>
    </p>
  );
}

function PolicyTexts({ foldAfter }: { foldAfter?: (policy: Policy) => number }) {
  const office = useAppSelector(selectSite);
  const links: Replacement[] = [
    [office.officeEmail, <OfficeEmailLink key="email" />],
    [onOneLine(office.officePhone), <OfficePhoneLink key="phone" />],
    ...faxIn(office),
  ];
  const shown = (paragraphs: readonly string[]) =>
    paragraphs.map((paragraph) => <p key={paragraph}>{withReplacements(paragraph, links)}</p>);
  return (
    <>
      {policiesOf(terms, office, facts.siteName).map((policy) => {
        const { title, paragraphs } = policy;
        const folded = foldAfter ? paragraphs.slice(foldAfter(policy) + 1) : [];
        return (
          <section key={title}>
            <h3>{title}</h3>
            {shown(paragraphs.slice(0, paragraphs.length - folded.length))}
            {folded.length > 0 && (
              <details>
                <summary>{registrationCopy.restOfPolicy(title)}</summary>
                {shown(folded)}
              </details>
            )}
          </section>
        );
      })}
      <PoliciesToKeep />
    </>
  );
}

function faxIn({ officeFax }: OfficeContact): Replacement[] {
  if (!officeFax) return [];
  const fax = (
    <span key="fax" className="unbroken">
      {officeFax}
    </span>
  );
  return [[onOneLine(officeFax), fax]];
}
