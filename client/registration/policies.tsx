import { useAppSelector } from '#client/store/hooks.ts';
import { selectSite } from '#client/store/site-slice.ts';
import {
  audioRecordingNotice,
  cancellationPolicy,
  registrationPaymentPolicy,
} from '#shared/content/policies.ts';

/** The policies a registrant agrees to, and the recording notice (R2.6). */
export function Policies() {
  const office = useAppSelector(selectSite);
  const policies = [registrationPaymentPolicy(office), cancellationPolicy(office), audioRecordingNotice];
  return (
    <div className="policies">
      {policies.map(({ title, paragraphs }) => (
        <section key={title}>
          <h3>{title}</h3>
          {paragraphs.map((paragraph) => (
            <p key={paragraph}>{paragraph}</p>
          ))}
        </section>
      ))}
    </div>
  );
}
