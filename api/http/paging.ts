/** `page` and `size` of every paged list (docs/decisions.md, "page sizes"). */
import { limits } from '../../config/limits.js';
import { Joi } from '../../shared/contract/joi.js';

export interface PageQuery {
  /** From 1. */
  readonly page: number;
  readonly size: number;
}

/** A page of a list in an answer. */
export interface Page<Item> extends PageQuery {
  readonly data: readonly Item[];
  /** Number of items that fit the filters, on all pages. */
  readonly totalItems: number;
  readonly totalPages: number;
}

/** Spread these into `query({…})`. */
export const pageFields = {
  page: Joi.int32().min(1).default(1).description('Page of the list, from 1. Newest first.'),
  size: Joi.int32().min(1).max(limits.pageSizeMax).default(limits.pageSizeDefault).description('Items per page.'),
};

const whole = () => Joi.number().integer().required();

/** Fields of a {@link Page} in the schema of an answer. @param item schema of one item */
export const pageAnswerFields = (item: Parameters<ReturnType<typeof Joi.array>['items']>[0]) => ({
  data: Joi.array().items(item).required(),
  page: whole(),
  size: whole(),
  totalItems: whole(),
  totalPages: whole(),
});

/** Builds the answer of a paged list. */
export const toPage = <Item>(data: readonly Item[], { page, size }: PageQuery, totalItems: number): Page<Item> => ({
  data,
  page,
  size,
  totalItems,
  totalPages: Math.ceil(totalItems / size),
});
