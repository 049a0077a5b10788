import { Paragraphs } from '#client/ui/texts.tsx';
import { describeCancellingAgain } from '#shared/content/cancel-words.ts';
import { monthOfExpiry, nameCard } from '#shared/content/card-words.ts';
import { cancelledWords } from '#shared/content/own-page-cancel.ts';
import { isAgreementAsked, momentOf, partsOf, partToPay, planNotes } from '#shared/content/own-page-plan.ts';
import { describeStanding, whatIsLeft } from '#shared/content/own-page-standing.ts';
import type { OwnPageView } from '#shared/content/own-page-view.ts';
import { actWords, ownPageWords } from '#shared/content/own-page-words.ts';
import { nameOfPart, titleOfPart } from '#shared/content/tuition.ts';
import { formatCents } from '#shared/money.ts';
import { type DeclineReason, OWN_PAGE_PATH } from '#shared/own-page.ts';
import { formPaths } from '#shared/own-page-forms.ts';
import type { OfficeContact } from '#shared/page.ts';
import { Act, CardEntry, TextEntry } from './act.tsx';
import { proofInput } from './form-field.tsx';
import { PressLink, RefundLines, Section } from './parts.tsx';

/** The state of the balance, the card it is charged to, and two forms: to pay it, and to change the card. */
export function BalanceSection({ view, office }: { view: OwnPageView; office: OfficeContact }) {
  const { title, paragraphs } = describeStanding(view, office);
  const { standing, disputed, mayAct, card } = view;
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
      {acts && isPayable(standing) && <Pay view={view} cents={standing.cents} office={office} />}
      {acts && isCardChangeable(view) && 'cents' in standing && (
        <ChangeCard view={view} cents={standing.cents} office={office} />
      )}
      {!disputed && 'refund' in standing && standing.refund && (
        <RefundLines refund={standing.refund} edition={view.edition} />
      )}
      {standing.kind === 'cancelling' && standing.undoUntil && (
        <Undo view={view} until={standing.undoUntil} refundCents={standing.refund.cents} />
      )}
      {standing.kind === 'being-charged' && (
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
type Standing = OwnPageView['standing'];
type Payable = Extract<
  Standing,
  { kind: 'held' | 'charged-later' | 'to-pay' | 'retrying' | 'action-needed' }
>;

function isPayable(standing: Standing): standing is Payable {
  if (standing.kind === 'held') return standing.isPayable;
  return ['charged-later', 'to-pay', 'retrying', 'action-needed'].includes(standing.kind);
}

function isOpen({ standing, disputed }: OwnPageView): boolean {
  return !disputed && (isPayable(standing) || standing.kind === 'being-charged');
}

/** Whether the card, or another one, will be charged. */
function isCardChangeable({ standing }: OwnPageView): boolean {
  if (standing.kind === 'action-needed') return standing.newCard !== undefined;
  return standing.kind === 'charged-later' || standing.kind === 'retrying';
}

function CardOnFile({ card, view }: { card: CardToCharge; view: OwnPageView }) {
  const { standing } = view;
  const part = partToPay(view);
  const words = ownPageWords.card;
  const waits = standing.kind === 'charged-later';
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
  const { standing, card, registrant, secondFactor } = view;
  const words = actWords.pay;
  const failed = 'reason' in standing && PERMANENT_DECLINES.includes(standing.reason);
  const usable = card && !failed && !card.expired;
  // The sum is that of the card on file: only with a card of its kind is it right.
  const isStored = view.edition.facts.prices.creditOnly && standing.kind !== 'held';
  if (isStored && !usable) return <p>{words.storeFirst}</p>;
  const parts = partsOf(cents, view);
  const part = partToPay(view);
  const isOffered = standing.kind === 'charged-later' || isAgreementAsked(view) || view.plan?.isPaused;
  return (
    <Act
      name="pay"
      title={part ? words.openPart(nameOfPart(part), cents) : words.open(cents)}
      main={!isOffered}
      open={standing.kind === 'action-needed'}
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
      {usable && isStored && <p>{words.onlyStored(nameCard(card))}</p>}
      {usable && !isStored && (
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
  const { standing } = view;
  const words = actWords.change;
  const part = partToPay(view);
  if (standing.kind === 'retrying' || ('newCard' in standing && standing.newCard === 'at-once'))
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
      {view.edition.facts.prices.creditOnly && <p>{words.feeOnCredit}</p>}
      <TextEntry {...proofInput(secondFactor)} id="card-proof" note={words.proofNote} />
      <h3>{words.newCard}</h3>
      <CardEntry act="card" hidden={false} cardholder={`${registrant.firstName} ${registrant.lastName}`} />
    </Act>
  );
}
