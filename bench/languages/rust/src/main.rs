//! Starts nodes one after another and prints the milliseconds from each start to its first answer.
use std::time::Instant;

fn main() {
    let rounds: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    for _ in 0..rounds {
        let began = Instant::now();
        let node = standin::start(&[]).unwrap();
        let _: String = node.call("eth_chainId", ()).unwrap();
        println!("{}", began.elapsed().as_secs_f64() * 1000.0);
    }
}
