import { Paragraphs } from '#client/ui/texts.tsx';
import type { Edition } from '#shared/content/edition.ts';
import { cancelPageWords, describeOffer } from '#shared/content/own-page-cancel.ts';
import {
  handOverPageWords,
  nameHolderWords,
  takeWords as words,
} from '#shared/content/own-page-form-words.ts';
import { dayOf } from '#shared/content/own-page-plan.ts';
import type { OwnPageRefund, OwnPageView, TakeView } from '#shared/content/own-page-view.ts';
import { policiesOf, waysToCancel } from '#shared/content/policies.ts';
import { timeZoneWords } from '#shared/content/time-zones.ts';
import { titleOfPart } from '#shared/content/tuition.ts';
import { formatDateRange } from '#shared/dates.ts';
import { formatCents } from '#shared/money.ts';
import { formPaths } from '#shared/own-page.ts';
import type { OfficeContact } from '#shared/page.ts';
import { FormDocument, type FormDocumentProps, FormField, OwnPageForm } from './form-document.tsx';
import {
  LinkFrame,
  type PageProps,
  PostForm,
  RefundLines,
  Section,
  SumRow,
  Tick,
  ZoneSelect,
} from './parts.tsx';
import { CardNamed } from './paying.tsx';

interface CancelDocumentProps extends FormDocumentProps {
  offer: OwnPageRefund;
}

export function CancelDocument({ offer, ...props }: CancelDocumentProps) {
  const { view, office } = props;
  const { facts } = view.edition;
  const words = cancelPageWords;
  const paid = view.payments.reduce((sum, { cents }) => sum + cents, 0);
  return (
    <FormDocument {...props} title={words.title} lede={words.lede}>
      <Section id="refund" title={words.refund}>
        <RefundLines refund={offer} edition={view.edition} />
        <Paragraphs of={describeOffer(offer, view)} />
      </Section>
      <Section id="ends" title={words.ends}>
        <p>{words.endsText}</p>
      </Section>
      <Section id="undo" title={words.undo}>
        <p>{words.undoText(isUndoShort(view))}</p>
      </Section>
      <Section className="place-act" id="act" title={words.act}>
        <OwnPageForm {...props} action={formPaths.cancel} words={words} hidden={{ cents: offer.cents, paid }}>
          <p>{words.noReason}</p>
        </OwnPageForm>
      </Section>
      <Section id="in-writing" title={words.inWriting}>
        <p>{words.inWritingText(waysToCancel(office, facts.siteName))}</p>
      </Section>
    </FormDocument>
  );
}

const UNDO_MS = 24 * 60 * 60 * 1000;

function isUndoShort({ now, edition }: OwnPageView): boolean {
  return now.getTime() + UNDO_MS > Date.parse(edition.facts.endsAt);
}

export function lastDayOf(until: Date, edition: Edition): string {
  return dayOf(new Date(until.getTime() - 1), { edition });
}

type HandOver = NonNullable<OwnPageView['handOver']>;

export function HandOverDocument({ handOver, ...props }: FormDocumentProps & { handOver: HandOver }) {
  const { view } = props;
  const { name, email, isAgreed, decidedAt, until } = handOver;
  const page = handOverPageWords;
  const decided = decidedAt.toISOString();
  return (
    <FormDocument {...props} title={page.title} lede={(isAgreed ? page.agreedLede : page.lede)(name, email)}>
      <Section id="means" title={page.means}>
        <Paragraphs of={page.points(name, lastDayOf(until, view.edition))} />
      </Section>
      {!isAgreed && (
        <Section className="place-act" id="act" title={page.act}>
          <OwnPageForm
            {...props}
            action={formPaths.handOver}
            words={page}
            hidden={{ decided, act: 'agree' }}
          />
        </Section>
      )}
      {view.mayAct && (
        <Section id="keep" title={page.keepTitle}>
          <PostForm
            className="place-form"
            action={formPaths.handOver}
            hidden={{ token: view.token, decided, act: 'keep' }}
            submit={page.keep}
            isQuiet
          >
            <p>{page.keepNote}</p>
          </PostForm>
        </Section>
      )}
    </FormDocument>
  );
}

export function NameHolderDocument({ until, ...props }: FormDocumentProps & { until: Date }) {
  const { view, sent } = props;
  const [page, own] = [handOverPageWords, nameHolderWords];
  return (
    <FormDocument {...props} title={own.title} lede={own.lede}>
      <Section id="means" title={page.means}>
        <Paragraphs of={page.points(own.somebody, lastDayOf(until, view.edition))} />
      </Section>
      <Section className="place-act" id="act" title={own.who}>
        <OwnPageForm {...props} action={formPaths.handOver} words={page} hidden={{ act: 'name' }}>
          <FormField name="firstName" label={own.firstName} required sent={sent} />
          <FormField name="lastName" label={own.lastName} required sent={sent} />
          <FormField name="email" label={own.email} note={own.emailNote} type="email" required sent={sent} />
          <FormField
            name="phoneNumber"
            label={own.phoneNumber}
            note={own.phoneNote}
            type="tel"
            required
            sent={sent}
          />
        </OwnPageForm>
      </Section>
    </FormDocument>
  );
}

export function TakeDocument({ view, office, look }: PageProps & { view: TakeView }) {
  const { edition, from, left, card, until, error } = view;
  const { title, siteName, startDate, endDate } = edition.facts;
  const isCharged = left.how === 'charged' && left.cents > 0;
  return (
    <LinkFrame
      siteName={siteName}
      title={words.title}
      help={words.help}
      office={office}
      look={look}
      className="place--take"
    >
      <p className="lede">{words.lede(from, title, formatDateRange(startDate, endDate))}</p>
      {error !== undefined && (
        <p className="place-error" role="alert">
          {error}
        </p>
      )}
      <p className="place-note">{words.until(lastDayOf(until, edition))}</p>
      <Stands view={view} />
      <Policies view={view} office={office} />
      {isCharged && <TakersCard view={view} />}
      {(card || !isCharged) && (
        <Section className="place-balance" id="accept" title={words.accept}>
          <p>{words.phone(view.maskedPhone)}</p>
          <Agreement view={view} />
        </Section>
      )}
    </LinkFrame>
  );
}

function TakersCard({ view: { card, left, link } }: { view: TakeView }) {
  return (
    <Section className="place-balance" id="card" title={words.yourCard}>
      {card && <CardNamed card={card} label={words.cardGiven} />}
      <p>{words[left.byPlan ? 'cardByPlan' : 'card'](left.cents)}</p>
      {!card && <p>{words.cardNote}</p>}
      <PostForm
        className="place-form"
        action={formPaths.takersCard}
        hidden={{ link }}
        submit={card ? words.otherCard : words.giveCard}
        isQuiet={card !== undefined}
      />
    </Section>
  );
}

function Stands({ view }: { view: TakeView }) {
  const { edition, name, email, payments, waivedCents, left } = view;
  return (
    <Section className="place-payments" id="stands" title={words.stands}>
      <dl className="place-sums">
        <SumRow label={words.package} sum={edition.facts.retreatPackage.title} />
        <SumRow label={words.for} sum={name} note={email} />
        {payments.map(({ what, cents, at, reference, part }) => (
          <SumRow
            key={`${what} ${reference ?? at.toISOString()}`}
            label={part ? words.paidPart(titleOfPart(part)) : words.paid[what]}
            sum={formatCents(cents)}
            note={words.paidNote(dayOf(at, view))}
          />
        ))}
        {waivedCents > 0 && <SumRow label={words.waived} sum={formatCents(waivedCents)} />}
        {left.cents > 0 ? (
          <SumRow
            label={words.left}
            sum={formatCents(left.cents)}
            note={words[howLeft(left)](dayOf(left.dueAt, view))}
            strong
          />
        ) : (
          <SumRow label={words.left} sum={words.nothingLeft} strong />
        )}
      </dl>
      <p>{words.ownMoney}</p>
    </Section>
  );
}

function howLeft({ how, byPlan }: TakeView['left']): 'byPlan' | 'byCheck' | 'charged' | 'asked' {
  if (byPlan) return 'byPlan';
  return how === 'by-check' ? 'byCheck' : how;
}

function Policies({ view: { edition, terms }, office }: { view: TakeView; office: OfficeContact }) {
  return (
    <Section className="place-policies" id="policies" title={words.policies}>
      <p>{words.policiesNote}</p>
      {policiesOf(terms, office, edition.facts.siteName).map(({ title, paragraphs }) => (
        <div key={title}>
          <h3>{title}</h3>
          <Paragraphs of={paragraphs} />
        </div>
      ))}
    </Section>
  );
}

function Agreement({ view: { edition, terms, left, link, session = '' } }: { view: TakeView }) {
  const { id: retreatZone } = edition.timetable.timeZone;
  const { version, digest } = terms;
  return (
    <PostForm
      className="place-form"
      action={formPaths.takePlace}
      hidden={{ link, version, digest, cents: left.cents, session }}
      submit={words.submit}
    >
      <div className="field">
        <ZoneSelect
          id="take-zone"
          name="timeZone"
          defaultValue={retreatZone}
          zones={[retreatZone]}
          aria-describedby="take-zone-note"
        />
        <p className="field__note" id="take-zone-note">
          {timeZoneWords.note}
        </p>
      </div>
      <Tick name="agreed" label={words.agree} />
    </PostForm>
  );
}
