import { Paragraphs } from '#client/ui/texts.tsx';
import type { Edition } from '#shared/content/edition.ts';
import { cancelPageWords, describeOffer } from '#shared/content/own-page-cancel.ts';
import { handOverPageWords, nameHolderWords } from '#shared/content/own-page-form-words.ts';
import { dayOf } from '#shared/content/own-page-plan.ts';
import type { OwnPageRefund, OwnPageView } from '#shared/content/own-page-view.ts';
import { waysToCancel } from '#shared/content/policies.ts';
import { formPaths } from '#shared/own-page.ts';
import { FormDocument, type FormDocumentProps, FormField, OwnPageForm } from './form-document.tsx';
import { PostForm, RefundLines, Section } from './parts.tsx';

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
