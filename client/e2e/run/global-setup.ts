import { shareProduct, startProduct } from './product.ts';

/** Starts the product that most suites look at: to start it for each would cost more than some of them do. */
export default async function startSharedProduct(): Promise<() => Promise<void>> {
  const product = await startProduct('start');
  shareProduct(product);
  return product.end;
}
