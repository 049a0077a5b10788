import { Paragraphs } from '#client/ui/texts.tsx';
import {
  dayOf,
  describePart,
  describePlan,
  isAgreementAsked,
  planNotes,
  sumOfPlan,
  planPageWords as words,
} from '#shared/content/own-page-plan.ts';
import type { OwnPagePlan } from '#shared/content/own-page-view.ts';
import { titleOfPart } from '#shared/content/tuition.ts';
import { formatCents } from '#shared/money.ts';
import { formPaths } from '#shared/own-page-forms.ts';
import { FormDocument, type FormDocumentProps, ProofForm } from './form-document.tsx';
import { OfficeWays } from './office-section.tsx';
import { Section, SumRow } from './parts.tsx';

/** The page on which she agrees to her payment plan, or sees it again. */
export function PlanDocument({ plan, ...props }: FormDocumentProps & { plan: OwnPagePlan }) {
  const { view, office } = props;
  const { parts, agreedOn, isPaused, decidedAt } = plan;
  const lede = agreedOn ? words.agreed(dayOf(agreedOn, view)) : words.asked(parts.length);
  return (
    <FormDocument {...props} title={words.title} lede={isPaused ? words.paused : lede}>
      <Section id="parts" title={words.parts}>
        <p>{planNotes.sums(view.edition.facts)}</p>
        <dl className="place-sums">
          {parts.map((part) => (
            <SumRow
              key={part.position}
              label={titleOfPart(part)}
              sum={formatCents(part.cents)}
              note={[
                describePart(part, view),
                ...(part.state === 'paid' ? [] : [words.byCheck(part.beforeFeeCents, view.edition.facts)]),
              ].join('; ')}
            />
          ))}
          <SumRow label={words.total} sum={formatCents(sumOfPlan(plan))} strong />
        </dl>
      </Section>
      <Section id="means" title={words.means}>
        <Paragraphs of={describePlan(view)} />
      </Section>
      {isAgreementAsked(view) && (
        <Section className="place-act" id="act" title={words.act}>
          <ProofForm {...props} action={formPaths.plan} words={words}>
            <input type="hidden" name="decided" value={decidedAt.toISOString()} />
            <input type="hidden" name="cents" value={sumOfPlan(plan)} />
          </ProofForm>
        </Section>
      )}
      <Section id="otherwise" title={words.otherwise}>
        <p>{words.otherwiseText}</p>
        <OfficeWays office={office} />
      </Section>
    </FormDocument>
  );
}
