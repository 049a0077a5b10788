/** One step of the registration (R2.2). */
export interface RegistrationStep {
  label: string;
  /** An optional step can be skipped (R2.3). */
  optional: boolean;
}

export const registrationSteps: readonly RegistrationStep[] = [
  { label: 'Select Package', optional: false },
  { label: 'Contact info', optional: false },
  { label: 'Payment & Confirmation', optional: false },
];
