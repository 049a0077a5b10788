import { formatCents, onWays } from '#shared/money.ts';
import type { OfficeContact } from '#shared/page.ts';
import { declineWords, nameCard } from './card-words.ts';
import { describeInWork, describeWorkedOff } from './own-page-cancel.ts';
import { isAgreementAsked, momentOf, partsOf, partToPay, planNotes } from './own-page-plan.ts';
import {
  type HeldState,
  type OwnPageState,
  type OwnPageView,
  type StateWords,
  says,
} from './own-page-view.ts';
import { nameOfPart, titleOfPart } from './tuition.ts';

type StateOf<Kind extends OwnPageState['kind']> = Extract<OwnPageState, { kind: Kind }>;

export function describeState(view: OwnPageView, office: OfficeContact): StateWords {
  if (view.disputed) return disputed;
  const { state } = view;
  switch (state.kind) {
    case 'charged-later':
      return chargedLater(state, view);
    case 'to-pay':
      return toPay(state, view);
    case 'by-check':
      return byCheck(state, view, office);
    case 'being-charged':
      return says(
        `${whatIsLeft(view)} is being charged`,
        `${formatCents(state.cents)} is being charged to your ${cardOf(view)}. That can take a few minutes, and there is nothing to do: please do not pay it a second time.`,
      );
    case 'processing':
      return processing;
    case 'retrying':
      return says(
        `${whatIsLeft(view)} could not be charged yet`,
        couldNotBeCharged(state, view),
        `It is tried again on ${momentOf(state.nextAt, view)}. You can also pay it now, with the card on file or another.`,
      );
    case 'action-needed':
      return says(
        view.plan ? `${whatIsLeft(view)} needs attention` : 'Your balance needs attention',
        couldNotBeCharged(state, view),
        `It is not tried again automatically. ${declineWords[state.reason].advice}`,
      );
    case 'held':
      return held(state, view, office);
    case 'settled':
      return says('Everything is paid', 'Thank you. Nothing is left to pay, and nothing more is charged.');
    case 'over':
      return says(
        'Something is unpaid',
        `The retreat is over, and ${formatCents(state.cents)} of the balance did not arrive. Nothing more is charged to your card. Please write to the office, and we will find a way.`,
      );
    case 'cancelling':
      return describeInWork(state, view);
    case 'cancelled':
      return describeWorkedOff(state, view);
  }
}

const disputed = says(
  'A payment is disputed',
  'Your bank was asked to take a payment back. Until that is settled, nothing is charged and nothing is given back automatically. If it is a mistake, or if we can help, please write to the office.',
);

const processing = says(
  'Your payment is being processed',
  'Your bank has not confirmed it yet, which can take a while. There is nothing to do: please do not pay a second time. We write to you once it has arrived.',
);

function whatIsLeft(view: OwnPageView): string {
  const part = partToPay(view);
  return part ? titleOfPart(part) : 'The balance';
}

function sumLeft(cents: number, view: OwnPageView, begins = true): string {
  const part = partToPay(view);
  if (!part) return `${begins ? 'The' : 'the'} balance of ${formatCents(cents)}`;
  return `${begins ? titleOfPart(part) : nameOfPart(part)} of your payment plan, ${formatCents(cents)},`;
}

function couldNotBeCharged(
  { cents, reason }: StateOf<'retrying' | 'action-needed'>,
  view: OwnPageView,
): string {
  const part = partToPay(view);
  const due = part?.state === 'open' ? ` was due on ${momentOf(part.dueAt, view)}, and` : '';
  const failed = `${sumLeft(cents, view)}${due} could not be charged. ${declineWords[reason].why} Your place is safe.`;
  return part ? `${failed} The other parts keep their dates.` : failed;
}

function chargedLater(
  { cents, dueAt, wasPostponed }: StateOf<'charged-later'>,
  view: OwnPageView,
): StateWords {
  const moved = wasPostponed ? ', as agreed with the office' : '';
  const charged = `${sumLeft(cents, view)} is charged to your ${cardOf(view)} on ${momentOf(dueAt, view)}${moved}.`;
  return view.card?.expiresBeforeDue
    ? says('Your card needs a look', charged)
    : says('Nothing to do for now', `${charged} You need not do anything for it.`);
}

function toPay({ cents, payBy, chargedAt }: StateOf<'to-pay'>, view: OwnPageView): StateWords {
  const { plan, now } = view;
  const { prices } = view.edition.facts;
  if (plan?.isPaused) return paused(cents, view);
  if (isAgreementAsked(view)) return agreementAsked(cents, payBy, view);
  const title = `${whatIsLeft(view)} is open`;
  if (chargedAt) return says(title, beganToPay(cents, chargedAt, view));
  const parts = partsOf(cents, view);
  const check =
    parts && onWays(prices, ` By check it is ${formatCents(parts.beforeFeeCents)}, without the card fee.`);
  const sum = plan ? sumLeft(cents, view, false) : formatCents(cents);
  const due = payBy ? ` ${payBy > now ? 'Please pay it by' : 'It was due on'} ${momentOf(payBy, view)}.` : '';
  return says(
    title,
    `Your place is reserved, and ${sum} is left to pay by card.${due} Nothing is charged automatically.${check ?? ''}`,
  );
}

function paused(cents: number, view: OwnPageView): StateWords {
  return says(
    'Your payment plan is paused',
    `Your place is reserved. Nothing is charged until the office has written to you. If you would like to pay ${sumLeft(cents, view, false)} before, you can do so here.`,
  );
}

function agreementAsked(cents: number, payBy: Date | undefined, view: OwnPageView): StateWords {
  const count = view.plan?.parts.length ?? 0;
  const due = payBy ? ` ${payBy > view.now ? 'is' : 'was'} due on ${momentOf(payBy, view)}` : ' is due';
  return says(
    'Do you agree to your payment plan?',
    `Your place is reserved, and the balance of your tuition is divided into ${count} parts. ${planNotes.asked}`,
    `${sumLeft(cents, view)}${due}.`,
  );
}

function beganToPay(cents: number, chargedAt: Date, view: OwnPageView): string {
  return `You went to our payment provider or to your bank for ${sumLeft(cents, view, false).replace(/,?$/, ',')} and nothing has arrived from there yet. Please try again, with the card on file or another. Otherwise it is charged to your ${cardOf(view)} on ${momentOf(chargedAt, view)}.`;
}

function held(state: HeldState, view: OwnPageView, office: OfficeContact): StateWords {
  const { cents, beforeFeeCents, way, isOver, isPayable, balance, receivedCents } = state;
  const until = momentOf(state.until, view);
  if (state.isProcessing) return processing;
  if (isOver)
    return says(
      'Your place is no longer held',
      `It was held until ${until}, and the deposit has not arrived${receivedCents > 0 ? ' in full. What has arrived is yours' : '. Nothing was charged'}. If you would still like to come, or your payment is on its way, please write to the office or call it.`,
    );
  const sum = formatCents(beforeFeeCents);
  const note = waysNote(view);
  const later =
    balance.cents > 0
      ? ` The balance of ${formatCents(balance.cents)} is charged to the same card on ${momentOf(balance.dueAt, view)}, after we have told you by e-mail.`
      : '';
  const how = {
    card: `Please pay the deposit of ${formatCents(cents)} by card here, by ${until}. It is non-refundable.${later}`,
    check: `Please send a check of ${sum} in US dollars ${whereTo(view, office)}, so that it arrives by ${until}.${note}`,
    transfer: `Please transfer ${sum} so that it arrives by ${until}.${note} If you do not have our account yet, the office tells you.`,
  };
  const paragraphs = [`It is yours once the deposit has arrived. ${how[way]}`];
  if (way !== 'card' && isPayable)
    paragraphs.push(`If you would rather pay it by card, it is ${formatCents(cents)}.${later}`);
  return { title: 'A place is held for you', paragraphs };
}

function waysNote({ edition: { facts } }: OwnPageView): string {
  return onWays(facts.prices, ' There is no card fee.');
}

function whereTo({ edition }: OwnPageView, { officeLegalName, officePostalAddress }: OfficeContact): string {
  return officePostalAddress
    ? `to ${officeLegalName ?? edition.facts.siteName}, ${officePostalAddress}`
    : 'to the office, which tells you its address';
}

function byCheck(
  { cents, payBy }: StateOf<'by-check'>,
  view: OwnPageView,
  office: OfficeContact,
): StateWords {
  const due = payBy
    ? `${payBy > view.now ? ', so that it arrives by' : '; it was due on'} ${momentOf(payBy, view)}`
    : '';
  const notCharged = onWays(view.edition.facts.prices, 'There is no card fee, and your card is not charged.');
  return says(
    'You pay by check',
    `Please send a check of ${formatCents(cents)} in US dollars ${whereTo(view, office)}${due}. ${notCharged || 'Your card is not charged.'}`,
    'Once it has arrived, this page shows it. Would you rather pay by card after all? Ask the office.',
  );
}

function cardOf({ card }: OwnPageView): string {
  return card ? nameCard(card) : 'card';
}
