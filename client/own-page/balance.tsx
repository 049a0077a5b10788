import { Paragraphs } from '#client/ui/texts.tsx';
import { describeCancellingAgain } from '#shared/content/cancel-words.ts';
import { cancelledWords } from '#shared/content/own-page-cancel.ts';
import {
  cardWords,
  isCardChangeable,
  payableCents,
  payNowOf,
  payWords,
} from '#shared/content/own-page-pay.ts';
import { isAgreementAsked, momentOf, partToPay, planNotes } from '#shared/content/own-page-plan.ts';
import { describeState } from '#shared/content/own-page-state.ts';
import type { CardToCharge, OwnPageView } from '#shared/content/own-page-view.ts';
import { ownPageWords } from '#shared/content/own-page-words.ts';
import { nameOfPart } from '#shared/content/tuition.ts';
import { formPaths, OWN_PAGE_PATH } from '#shared/own-page.ts';
import type { OfficeContact } from '#shared/page.ts';
import { PressLink, RefundLines, Section } from './parts.tsx';
import { CardNamed } from './paying.tsx';

export function BalanceSection({ view, office }: { view: OwnPageView; office: OfficeContact }) {
  const { title, paragraphs } = describeState(view, office);
  const { state, disputed, mayAct, card } = view;
  const isOpen = payableCents(view) !== undefined || (!disputed && state.kind === 'being-charged');
  return (
    <Section className="place-balance" id="balance" title={title}>
      <Paragraphs of={paragraphs} />
      {mayAct && isAgreementAsked(view) && (
        <PressLink href={formPaths.plan} main>
          {planNotes.open}
        </PressLink>
      )}
      {card && isOpen && <CardOnFile card={card} view={view} />}
      {mayAct && <Ways view={view} />}
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

function Ways({ view }: { view: OwnPageView }) {
  const { state, plan, card } = view;
  const cents = payableCents(view);
  const part = partToPay(view);
  const isOffered = state.kind === 'charged-later' || isAgreementAsked(view) || plan?.isPaused;
  const paying = payNowOf(view);
  const isChangeable = isCardChangeable(view);
  return (
    <>
      {cents !== undefined && (
        <PressLink href={paying ? formPaths.pay : formPaths.card} main={!isOffered}>
          {paying || !isChangeable
            ? payWords[paying ? 'open' : 'openWithCard']({ cents, part })
            : cardWords.open}
        </PressLink>
      )}
      {paying && isChangeable && (
        <PressLink href={formPaths.card} main={card?.expiresBeforeDue ?? false}>
          {cardWords.open}
        </PressLink>
      )}
    </>
  );
}

function CardOnFile({ card, view }: { card: CardToCharge; view: OwnPageView }) {
  const { state } = view;
  const part = partToPay(view);
  const words = ownPageWords.card;
  const waits = state.kind === 'charged-later';
  const expired = waits ? `${words.hasExpired} ${words.storeAnother}` : words.hasExpired;
  const warning = card.expired
    ? expired
    : waits && card.expiresBeforeDue && words.expiresBeforeDue(part ? nameOfPart(part) : 'the balance');
  return (
    <div className="place-card">
      <CardNamed card={card} label={words.onFile} />
      {warning && <p className="place-warning">{warning}</p>}
    </div>
  );
}
