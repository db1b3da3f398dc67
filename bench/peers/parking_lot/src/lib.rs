// SPDX-License-Identifier: MIT
//! parking_lot's RwLock for the benchmark's table of operations: the raw lock,
//! in memory that the caller supplies, one C function per operation.

use parking_lot::lock_api::{RawRwLock as _, RawRwLockDowngrade as _, RawRwLockTimed as _};
use parking_lot::RawRwLock;
use std::mem::{align_of, size_of};
use std::time::Duration;

// What the C side takes for granted.
const _: () = assert!(size_of::<RawRwLock>() == size_of::<usize>());
const _: () = assert!(align_of::<RawRwLock>() == align_of::<usize>());

/// # Safety
/// `lock` points to memory of the size and alignment of a `usize` that
/// nobody uses yet.
#[no_mangle]
pub unsafe extern "C" fn peer_parking_lot_init(lock: *mut RawRwLock) {
    lock.write(RawRwLock::INIT);
}

macro_rules! operation {
    ($name:ident, $lock:ident, $result:ty, $body:expr) => {
        /// # Safety
        /// `lock` is a lock; a release matches what the caller holds.
        #[no_mangle]
        pub unsafe extern "C" fn $name(lock: *const RawRwLock) -> $result {
            let $lock = &*lock;
            $body
        }
    };
}

operation!(peer_parking_lot_down_read, l, (), l.lock_shared());
operation!(peer_parking_lot_up_read, l, (), l.unlock_shared());
operation!(peer_parking_lot_down_write, l, (), l.lock_exclusive());
operation!(peer_parking_lot_up_write, l, (), l.unlock_exclusive());
operation!(peer_parking_lot_try_read, l, bool, l.try_lock_shared());
operation!(peer_parking_lot_try_write, l, bool, l.try_lock_exclusive());
operation!(peer_parking_lot_downgrade, l, (), l.downgrade());

/// # Safety
/// `lock` is a lock.
#[no_mangle]
pub unsafe extern "C" fn peer_parking_lot_read_for(lock: *const RawRwLock, ns: u64) -> bool {
    (*lock).try_lock_shared_for(Duration::from_nanos(ns))
}

/// # Safety
/// `lock` is a lock.
#[no_mangle]
pub unsafe extern "C" fn peer_parking_lot_write_for(lock: *const RawRwLock, ns: u64) -> bool {
    (*lock).try_lock_exclusive_for(Duration::from_nanos(ns))
}

/// # Safety
/// `lock` is a lock that the caller does not hold.
#[no_mangle]
pub unsafe extern "C" fn peer_parking_lot_read_pairs(lock: *const RawRwLock, pairs: u64) {
    for _ in 0..pairs {
        (*lock).lock_shared();
        (*lock).unlock_shared();
    }
}

/// # Safety
/// `lock` is a lock that the caller does not hold.
#[no_mangle]
pub unsafe extern "C" fn peer_parking_lot_write_pairs(lock: *const RawRwLock, pairs: u64) {
    for _ in 0..pairs {
        (*lock).lock_exclusive();
        (*lock).unlock_exclusive();
    }
}
