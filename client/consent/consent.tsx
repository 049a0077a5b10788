import { useState } from 'react';
import { followStored, readStored, writeStored } from '#client/store/browser-storage.ts';
import { type Consent, consentSet, selectConsent } from '#client/store/consent-slice.ts';
import { useAppDispatch, useAppSelector } from '#client/store/store.ts';
import { PrivacyButton } from '#client/ui/links.tsx';
import { SegmentedControl } from '#client/ui/segmented-control.tsx';
import { consentCopy } from '#shared/content/consent.ts';
import { CONSENT_CHOICE_ID, PRIVACY_PANEL_ID } from '#shared/page.ts';

/** Asks, without blocking the page, whether the visit may be measured. Disappears once answered. */
export function ConsentBar() {
  const consent = useAppSelector(selectConsent);
  const dispatch = useAppDispatch();
  const [answered, setAnswered] = useState(false);
  const answer = (given: Consent) => {
    setAnswered(true);
    dispatch(consentSet(given));
  };
  return (
    <aside className="consent" aria-label={consentCopy.label}>
      <p role="status" className="visually-hidden">
        {answered ? consentCopy.remembered : ''}
      </p>
      {consent === 'unasked' && (
        <div className="consent-bar" ref={returnFocus}>
          <p>
            {consentCopy.text} <PrivacyButton>{consentCopy.more}</PrivacyButton>
          </p>
          <ConsentAnswers onAnswer={answer} />
        </div>
      )}
    </aside>
  );
}

const answers = [
  { value: 'denied', label: consentCopy.denied },
  { value: 'granted', label: consentCopy.granted },
] as const;

/** Lets her see and change her consent to being measured at any time; empty where nothing is measured. */
export function ConsentChoice() {
  const consent = useAppSelector(selectConsent);
  const dispatch = useAppDispatch();
  if (consent === undefined) return null;
  const { title, ...words } = consentCopy.choice;
  const answer = (given: Consent) => dispatch(consentSet(given));
  const answerFirst = (given: Consent) => {
    // The buttons are removed: move focus to their container.
    document.getElementById(CONSENT_CHOICE_ID)?.focus();
    answer(given);
  };
  return (
    <section className="consent-choice" aria-label={title}>
      <p role="status">{words[consent]}</p>
      {consent === 'unasked' && <ConsentAnswers onAnswer={answerFirst} />}
      {(consent === 'granted' || consent === 'denied') && (
        <SegmentedControl<Consent>
          legend={consentCopy.label}
          name="consent"
          segments={answers}
          value={consent}
          onChange={answer}
        />
      )}
    </section>
  );
}

/** The two answers, shown until she gives one: equally prominent buttons, neither preselected. */
function ConsentAnswers({ onAnswer }: { onAnswer: (answer: Consent) => void }) {
  return (
    <div className="consent-answers">
      {(['denied', 'granted'] as const).map((answer) => (
        <button key={answer} type="button" className="button button--quiet" onClick={() => onAnswer(answer)}>
          {consentCopy[answer]}
        </button>
      ))}
    </div>
  );
}

/**
 * For the `ref` of the consent bar, which is removed once answered. Focus in the bar then returns to the element
 * that had it before, or else to the section being read. The same happens to focus in the privacy panel that the
 * bar opened, as soon as the panel closes.
 */
function returnFocus(bar: HTMLElement | null) {
  if (!bar) return;
  const panel = document.getElementById(PRIVACY_PANEL_ID);
  let before: EventTarget | null = null;
  bar.addEventListener('focusin', ({ relatedTarget }) => {
    if (!isWithin(bar, relatedTarget) && !isWithin(panel, relatedTarget)) before = relatedTarget;
  });
  const restoreAfterToggle = (): void => {
    // The browser returns focus to the button that opened the panel, unless that button is gone.
    const { activeElement } = document;
    if (activeElement === document.body || isWithin(panel, activeElement)) restoreFocus(before);
  };
  return () => {
    const { activeElement } = document;
    if (isWithin(bar, activeElement)) restoreFocus(before);
    if (isWithin(panel, activeElement)) panel?.addEventListener('toggle', restoreAfterToggle, { once: true });
  };
}

function isWithin(place: Element | null, target: EventTarget | null): boolean {
  return target instanceof Node && place !== null && place.contains(target);
}

function restoreFocus(before: EventTarget | null): void {
  if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  if (document.activeElement !== before) focusVisibleSection();
}

/** The section in the upper half of the screen, which the bar leaves free. */
function focusVisibleSection(): void {
  const element = document.elementFromPoint(innerWidth / 2, innerHeight / 3);
  const place = element?.closest<HTMLElement>('main section[id]') ?? document.getElementById('main');
  if (!place) return;
  place.tabIndex = -1;
  place.focus({ preventScroll: true });
}

const STORAGE_KEY = 'consent';

declare global {
  interface Navigator {
    /** @see https://www.w3.org/TR/gpc/ */
    readonly globalPrivacyControl?: boolean;
  }
}

/**
 * The consent known without asking: the browser's own refusal, which takes precedence, or the stored answer.
 */
export function readConsent(): Consent {
  if (navigator.globalPrivacyControl === true || navigator.doNotTrack === '1') return 'refusedByBrowser';
  const stored = readStored('local', STORAGE_KEY);
  return stored === 'granted' || stored === 'denied' ? stored : 'unasked';
}

export function storeConsent(consent: Consent): void {
  if (consent === 'granted' || consent === 'denied') writeStored('local', STORAGE_KEY, consent);
}

export function followStoredConsent(onChange: (consent: Consent) => void): void {
  followStored(STORAGE_KEY, () => onChange(readConsent()));
}
