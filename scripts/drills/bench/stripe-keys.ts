/** Of the bench's payment sandbox. */
export const STRIPE_KEYS = {
  secretKey: 'sk_test_bench',
  publishableKey: 'pk_test_bench',
  webhookSecret: 'whsec_bench',
};
