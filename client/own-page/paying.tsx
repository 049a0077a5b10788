import { PlainDocument } from '#client/ui/plain-documents.tsx';
import { monthOfExpiry, nameCard } from '#shared/content/card-words.ts';
import {
  cardWords,
  type OnTheWay,
  onTheWayWords,
  type PayNow,
  payWords,
  whenCharged,
} from '#shared/content/own-page-pay.ts';
import { partsOf } from '#shared/content/own-page-plan.ts';
import type { ShownCard } from '#shared/content/own-page-view.ts';
import { ownPageWords } from '#shared/content/own-page-words.ts';
import { formatCents } from '#shared/money.ts';
import { formPaths } from '#shared/own-page.ts';
import { FormDocument, type FormDocumentProps, fieldId, OwnPageForm } from './form-document.tsx';
import { type PageProps, PressLink, Section } from './parts.tsx';

export function PayDocument({ paying, ...props }: FormDocumentProps & { paying: PayNow }) {
  const { view } = props;
  const { cents, part, card } = paying;
  const parts = partsOf(cents, view);
  const words = { ...payWords, submit: payWords.submit(cents) };
  return (
    <FormDocument {...props} title={payWords.title(cents)} lede={payWords.lede}>
      <Section className="place-act" id="act" title={payWords.act}>
        {parts && parts.feeCents > 0 && (
          <p>{`${formatCents(cents)}: ${payWords.made(formatCents(parts.beforeFeeCents), formatCents(parts.feeCents))}`}</p>
        )}
        <CardNamed id={fieldId('act')} card={card} label={payWords.with} />
        <OwnPageForm
          {...props}
          action={formPaths.pay}
          words={words}
          hidden={{ cents, part: part?.position ?? '', card: `${card.brand} ${card.last4}` }}
        />
      </Section>
      {view.mayAct && (
        <Section id="otherwise" title={payWords.otherwise}>
          <p>{payWords.otherwiseText}</p>
          <PressLink href={formPaths.card}>{payWords.anotherCard}</PressLink>
        </Section>
      )}
    </FormDocument>
  );
}

export function CardDocument(props: FormDocumentProps) {
  const { view } = props;
  return (
    <FormDocument {...props} title={cardWords.title(view.card !== undefined)} lede={cardWords.lede}>
      <Section className="place-act" id="act" title={cardWords.act}>
        <p id={fieldId('act')}>{whenCharged(view)}</p>
        <p>{cardWords.time}</p>
        <OwnPageForm {...props} action={formPaths.card} words={cardWords} />
      </Section>
    </FormDocument>
  );
}

export function CardNamed({ id, card, label }: { id?: string; card: ShownCard; label: string }) {
  const month = monthOfExpiry(card);
  return (
    <p id={id}>
      <span className="place-label">{label}</span> <strong>{nameCard(card)}</strong>
      {month && ownPageWords.card.expiry(month)}
    </p>
  );
}

interface OnTheWayProps extends Pick<PageProps, 'look'> {
  siteName: string;
  to: OnTheWay;
  url: string;
}

/**
 * Leads on to a page of Stripe or of her bank: a form may not do so itself, by the site's policy. A browser leaves this page
 * out of its history.
 */
export function OnTheWayDocument({ siteName, to, url, look }: OnTheWayProps) {
  const words = onTheWayWords;
  return (
    <PlainDocument
      title={`${words.title[to]} – ${siteName}`}
      look={look}
      refreshTo={url}
      className="place place--link"
    >
      <h1>{words.title[to]}</h1>
      <p className="lede">{words.lede[to]}</p>
      <PressLink href={url} main>
        {words.go}
      </PressLink>
    </PlainDocument>
  );
}
