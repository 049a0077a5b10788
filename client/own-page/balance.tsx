import type { InputHTMLAttributes, ReactNode } from 'react';
import { Paragraphs } from '#client/ui/texts.tsx';
import { describeCancellingAgain } from '#shared/content/cancel-words.ts';
import { monthOfExpiry, nameCard } from '#shared/content/card-words.ts';
import { cancelledWords } from '#shared/content/own-page-cancel.ts';
import { isAgreementAsked, momentOf, partsOf, partToPay, planNotes } from '#shared/content/own-page-plan.ts';
import { describeState, whatIsLeft } from '#shared/content/own-page-state.ts';
import type { OwnPageView } from '#shared/content/own-page-view.ts';
import { actWords, ownPageWords } from '#shared/content/own-page-words.ts';
import { nameOfPart, titleOfPart } from '#shared/content/tuition.ts';
import { formatCents } from '#shared/money.ts';
import { type DeclineReason, OWN_PAGE_PATH } from '#shared/own-page.ts';
import { formPaths } from '#shared/own-page-forms.ts';
import type { OfficeContact } from '#shared/page.ts';
import { proofInput } from './form-document.tsx';
import { OfficeWays, type PageProps, PressLink, RefundLines, Section } from './parts.tsx';

/** The state of the balance, the card it is charged to, and two forms: to pay it, and to change the card. */
export function BalanceSection({ view, office }: { view: OwnPageView; office: OfficeContact }) {
  const { title, paragraphs } = describeState(view, office);
  const { state, disputed, mayAct, card } = view;
  const acts = mayAct && !disputed;
  return (
    <Section className="place-balance" id="balance" title={title}>
      <Paragraphs of={paragraphs} />
      {mayAct && isAgreementAsked(view) && (
        <PressLink href={formPaths.plan} main>
          {planNotes.open}
        </PressLink>
      )}
      {card && isOpen(view) && <CardOnFile card={card} view={view} />}
      {acts && isPayable(state) && <Pay view={view} cents={state.cents} office={office} />}
      {acts && isCardChangeable(view) && 'cents' in state && (
        <ChangeCard view={view} cents={state.cents} office={office} />
      )}
      {!disputed && 'refund' in state && state.refund && (
        <RefundLines refund={state.refund} edition={view.edition} />
      )}
      {state.kind === 'cancelling' && state.undoUntil && (
        <Undo view={view} until={state.undoUntil} refundCents={state.refund.cents} />
      )}
      {(state.kind === 'being-charged' || state.kind === 'processing') && (
        <p className="act">
          <a className="button button--quiet" href={OWN_PAGE_PATH}>
            {ownPageWords.lookAgain}
          </a>
        </p>
      )}
    </Section>
  );
}

/** Until when she can undo a cancellation, and the way there. */
function Undo({ view, until, refundCents }: { view: OwnPageView; until: Date; refundCents: number }) {
  const again = describeCancellingAgain(refundCents, until, view.edition);
  return (
    <div className="place-undo">
      <p>{cancelledWords.undoUntil(momentOf(until, view))}</p>
      {again && <p>{again}</p>}
      {view.mayAct && <PressLink href={formPaths.undo}>{cancelledWords.undo}</PressLink>}
    </div>
  );
}

type CardToCharge = NonNullable<OwnPageView['card']>;
type State = OwnPageView['state'];
type Payable = Extract<State, { kind: 'held' | 'charged-later' | 'to-pay' | 'retrying' | 'action-needed' }>;

function isPayable(state: State): state is Payable {
  if (state.kind === 'held') return state.isPayable;
  return ['charged-later', 'to-pay', 'retrying', 'action-needed'].includes(state.kind);
}

function isOpen({ state, disputed }: OwnPageView): boolean {
  return !disputed && (isPayable(state) || state.kind === 'being-charged');
}

/** Whether the card, or another one, will be charged. */
function isCardChangeable({ state }: OwnPageView): boolean {
  if (state.kind === 'action-needed') return state.newCard !== undefined;
  return state.kind === 'charged-later' || state.kind === 'retrying';
}

function CardOnFile({ card, view }: { card: CardToCharge; view: OwnPageView }) {
  const { state } = view;
  const part = partToPay(view);
  const words = ownPageWords.card;
  const waits = state.kind === 'charged-later';
  const month = monthOfExpiry(card);
  const expired = waits ? `${words.hasExpired} ${words.storeAnother}` : words.hasExpired;
  const warning = card.expired
    ? expired
    : waits && card.expiresBeforeDue && words.expiresBeforeDue(part ? nameOfPart(part) : 'the balance');
  return (
    <div className="place-card">
      <p>
        <span className="place-label">{words.onFile}</span> <strong>{nameCard(card)}</strong>
        {month && words.expiry(month)}
      </p>
      {warning && <p className="place-warning">{warning}</p>}
    </div>
  );
}

/** Decline reasons for which the same card will be refused again: it is not offered to her. */
const PERMANENT_DECLINES: readonly DeclineReason[] = ['expired', 'card-blocked'];

interface CardActProps {
  view: OwnPageView;
  cents: number;
  office: OfficeContact;
}

function Pay({ view, cents, office }: CardActProps) {
  const { state, card, registrant, secondFactor } = view;
  const words = actWords.pay;
  const failed = 'reason' in state && PERMANENT_DECLINES.includes(state.reason);
  const usable = card && !failed && !card.expired;
  const parts = partsOf(cents, view);
  const part = partToPay(view);
  const isOffered = state.kind === 'charged-later' || isAgreementAsked(view) || view.plan?.isPaused;
  return (
    <Act
      name="pay"
      title={part ? words.openPart(nameOfPart(part), cents) : words.open(cents)}
      main={!isOffered}
      open={state.kind === 'action-needed'}
      submit={words.submit(cents)}
      token={view.token}
      cents={cents}
      part={part?.position}
      office={office}
    >
      {parts && parts.feeCents > 0 && (
        <p>{`${formatCents(cents)}: ${words.made(formatCents(parts.beforeFeeCents), formatCents(parts.feeCents))}`}</p>
      )}
      <TextEntry {...proofInput(secondFactor)} id="pay-proof" note={words.proofNote} />
      {usable && (
        <fieldset className="act-choice">
          <legend>{words.payWith}</legend>
          <label>
            <input type="radio" name="with" value="on-file" defaultChecked />
            {nameCard(card)}
          </label>
          <label>
            <input type="radio" name="with" value="new-card" />
            {words.anotherCard}
          </label>
        </fieldset>
      )}
      <CardEntry
        act="pay"
        hidden={Boolean(usable)}
        cardholder={`${registrant.firstName} ${registrant.lastName}`}
      />
    </Act>
  );
}

/** When another card that she gives is charged. */
function whenCharged(view: OwnPageView, cents: number): string {
  const { state } = view;
  const words = actWords.change;
  const part = partToPay(view);
  if (state.kind === 'retrying' || ('newCard' in state && state.newCard === 'at-once'))
    return words.noteOverdue(whatIsLeft(view), cents);
  return part ? words.notePart(titleOfPart(part), cents) : words.note(cents);
}

function ChangeCard({ view, cents, office }: CardActProps) {
  const { secondFactor, registrant, token } = view;
  const words = actWords.change;
  return (
    <Act
      name="card"
      title={words.open}
      main={view.card?.expiresBeforeDue ?? false}
      open={false}
      submit={words.submit}
      token={token}
      office={office}
    >
      <p>{whenCharged(view, cents)}</p>
      <TextEntry {...proofInput(secondFactor)} id="card-proof" note={words.proofNote} />
      <h3>{words.newCard}</h3>
      <CardEntry act="card" hidden={false} cardholder={`${registrant.firstName} ${registrant.lastName}`} />
    </Act>
  );
}

interface ActProps {
  name: 'pay' | 'card' | 'take';
  /** The label of the button that opens it. */
  title: string;
  /** Whether it is the main thing that the page asks her to do. */
  main: boolean;
  open: boolean;
  /** The label of the submit button. */
  submit: string;
  /** The CSRF token. */
  token: string;
  /** The sum shown to her, in US cents. */
  cents?: number;
  /** The position of the part of a payment plan that it pays. */
  part?: number | undefined;
  /** Where the form is sent once the card is stored; absent where a script does all. */
  action?: string;
  office: OfficeContact;
  children: ReactNode;
}

/** A form that takes a card. It opens without a script, but then shows that it needs one to work. */
export function Act({ name, title, main, open, submit, office, children, ...form }: ActProps) {
  const { token, cents, part, action } = form;
  return (
    <details className="act" name="act" open={open}>
      <summary className={main ? 'button' : 'button button--quiet'}>{title}</summary>
      <div className="act-without-script">
        <p>{actWords.withoutScript}</p>
        <OfficeWays office={office} />
      </div>
      <form
        className="act-form"
        method="post"
        action={action}
        noValidate
        data-act={name}
        data-token={token}
        data-cents={cents}
        data-part={part}
      >
        {children}
        <p className="act-note">{actWords.cardNote}</p>
        <button type="submit" className="button" data-ready={submit} disabled>
          {actWords.wait}
        </button>
        <div className="place-error act-error" role="alert" tabIndex={-1} />
      </form>
    </details>
  );
}

/** What a page with such a form is made of, beside what it shows. */
export interface CardPageProps extends PageProps {
  /** Runs the card forms; the rest of the page works without it. */
  script: string | undefined;
  stripe: { publishableKey: string; scriptUrl: string | null };
}

/** The attributes by which the script finds Stripe, on an element around the forms. */
export function stripeAttributes({ publishableKey, scriptUrl }: CardPageProps['stripe']) {
  return { 'data-stripe-key': publishableKey, 'data-stripe-script': scriptUrl ?? undefined };
}

interface CardEntryProps {
  act: ActProps['name'];
  /** Hidden until she chooses to use another card. */
  hidden: boolean;
  /** The initial cardholder name. */
  cardholder: string;
}

const CARD_FIELDS = ['cardNumber', 'cardExpiry', 'cardCvc'] as const;

/** The fields of a card; Stripe mounts its own inputs into three of them. */
export function CardEntry({ act, hidden, cardholder }: CardEntryProps) {
  return (
    <div className="card-entry" data-new-card hidden={hidden}>
      <TextEntry
        id={`${act}-name`}
        name="cardholder"
        label={actWords.cardholder}
        autoComplete="cc-name"
        autoCapitalize="words"
        spellCheck={false}
        defaultValue={cardholder}
        required
      />
      {CARD_FIELDS.map((field) => (
        <div key={field} className="field" data-field={field}>
          {/* biome-ignore lint/a11y/noLabelWithoutControl: Stripe mounts its control there; pressing the label focuses it */}
          <label>
            <span className="field__label">{actWords[field]}</span>
            <span className="field__control field__control--card" data-card={field} />
          </label>
          <p className="field__error" aria-live="polite" />
        </div>
      ))}
      <TextEntry
        id={`${act}-postal-code`}
        name="postalCode"
        label={actWords.postalCode}
        note={actWords.postalCodeNote}
        autoComplete="billing postal-code"
        maxLength={16}
      />
    </div>
  );
}

interface TextEntryProps extends InputHTMLAttributes<HTMLInputElement> {
  id: string;
  name: string;
  label: string;
  note?: string;
}

/** A text input without a `name`, so that the browser never submits its text, even if the script fails. */
function TextEntry({ id, name, label, note, ...input }: TextEntryProps) {
  const [noteId, errorId] = [`${id}-note`, `${id}-error`];
  return (
    <div className="field" data-field={name}>
      <label className="field__label" htmlFor={id}>
        {label}
      </label>
      <input
        type="text"
        {...input}
        id={id}
        className="field__control"
        aria-describedby={note ? `${noteId} ${errorId}` : errorId}
      />
      {note && (
        <p className="field__note" id={noteId}>
          {note}
        </p>
      )}
      <p className="field__error" id={errorId} aria-live="polite" />
    </div>
  );
}
