import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads'
import { Ledger, Library } from 'prowess'

import { FILES, only, tree } from './support.mjs'

/** Activates one skill a hundred times at once, while the ledger is used; how often the body came. */
async function bodies(library) {
  const ledger = new Ledger()
  const activate = async (_, id) => {
    const { status } = await library.activate('pdf', { ledger, placement: `${id}` })
    ledger.reconcile(ledger.protected)
    return status
  }
  const statuses = await Promise.all(Array.from({ length: 100 }, activate))
  return statuses.filter((status) => status === 'new').length
}

if (isMainThread) {
  test('promises share a ledger', async () => {
    const base = tree(FILES)
    const libraries = await Promise.all(Array.from({ length: 20 }, () => Library.load(only(base))))
    for (const library of libraries) assert.deepEqual(library.skills, libraries[0].skills)
    assert.equal(await bodies(libraries[0]), 1)
  })

  test('every thread has libraries of its own', async () => {
    const base = tree(FILES)
    const answer = () =>
      new Promise((resolve, reject) => {
        const worker = new Worker(fileURLToPath(import.meta.url), { workerData: base })
        worker.once('message', resolve).once('error', reject)
      })
    assert.deepEqual(await Promise.all(Array.from({ length: 8 }, answer)), Array(8).fill(1))
  })

  test('a thread may end while work is under way', async () => {
    const base = tree(FILES)
    for (let round = 0; round < 5; round++) {
      const worker = new Worker(fileURLToPath(import.meta.url), { workerData: base })
      await new Promise((resolve) => worker.once('online', resolve))
      await worker.terminate()
    }
  })
} else {
  parentPort.postMessage(await bodies(await Library.load(only(workerData))))
}
