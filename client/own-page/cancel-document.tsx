import { Paragraphs } from '#client/ui/texts.tsx';
import { cancelPageWords, describeOffer } from '#shared/content/own-page-cancel.ts';
import type { OwnPageRefund, OwnPageView } from '#shared/content/own-page-view.ts';
import { waysToCancel } from '#shared/content/policies.ts';
import { formPaths } from '#shared/own-page-forms.ts';
import { FormDocument, type FormDocumentProps, ProofForm } from './form-document.tsx';
import { RefundLines, Section } from './parts.tsx';

interface CancelDocumentProps extends FormDocumentProps {
  /** What she gets back if she cancels now. */
  offer: OwnPageRefund;
}

/** The page that explains what cancelling means, with the form that cancels. */
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
        <ProofForm {...props} action={formPaths.cancel} words={words}>
          <input type="hidden" name="cents" value={offer.cents} />
          <input type="hidden" name="paid" value={paid} />
          <p>{words.noReason}</p>
        </ProofForm>
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
